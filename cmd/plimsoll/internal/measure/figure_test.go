package measure

import (
	"math"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
)

// backlog is one worker of 10 ms that 200 a second ask for two seconds and 50
// for two more; callers wait for half a second.
const backlog = `
length: 4s
bucket: 100ms
parameters: {rate: 200}
stations:
  worker: {workers: 1}
sources:
  callers:
    arrivals: {steps: [{for: 2s, rate: "= rate"}, {for: 2s, rate: 50}]}
    service: 10ms
    client: {patience: 500ms}
policies:
  open: {}
  bounded: {stations: {worker: {gate: {limit: 1, max-queue: 10, max-wait: 1h, order: oldest-first, no-prediction: true}}}}
expect:
`

// TestFigures takes every kind of figure of runs that can be followed by hand.
func TestFigures(t *testing.T) {
	for _, e := range []string{
		"{measure: offered, is: 500}",
		"{measure: offered, from: 1s, to: 2s, is: 200}",
		"{measure: throughput, from: 1s, to: 2s, is: 100}",
		"{measure: goodput, from: 1.5s, to: 2s, per: capacity, is: 0}",
		"{measure: depth, at: 1s, is: 99, within: 1}",
		"{measure: max-depth, is: 200, within: 1}",
		"{measure: in-flight, at: 1s, is: 1}",
		"{measure: backlog-served, at: 2s, is: 2s, within: 1%}",
		"{measure: max-wait, is: 2s, within: 2%}",
		"{measure: amplification, is: 1}",
		"{measure: burst, is: 1.6}",
		"{measure: burst, from: 2s, is: 1, within: 1%}",
		"{measure: fall, from: 0s, level: 5%, between: [900ms, 1.2s]}",
		"{measure: recovery, from: 2s, level: 95%, hold: 1s, is: never}",
		"{measure: refused, policy: bounded, reason: queue-full, above: 180}",
		"{measure: refusal-time, policy: bounded, is: 0}",
		"{measure: latency, policy: bounded, quantile: 1, is: 110ms, within: 5ms}",
		"{measure: late, minus: {policy: bounded}, above: 200}",
		"{measure: offered, with: {rate: 100}, over: {with: {rate: 200}}, is: 0.6, within: 1%}",
		"{measure: goodput, policy: bounded, from: 1s, to: 2s, across: all, is: 100, within: 1}",
	} {
		f, err := scenario.Decode("f.yaml", []byte(backlog+"  - "+e+"\n"), nil)
		if err != nil {
			t.Errorf("%s: %v", e, err)
			continue
		}
		all, err := Of(f)
		if err != nil {
			t.Errorf("%s: %v", e, err)
			continue
		}
		verdicts, err := Evaluate(all, 2, From(f, nil), nil)
		if err != nil || len(verdicts) != 1 || !verdicts[0].OK {
			t.Errorf("%s: %v, %+v", e, err, verdicts)
		}
	}
}

// TestJudge holds a verdict on seeds against each way of putting them together.
func TestJudge(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	for _, tc := range []struct {
		e     Expectation
		value float64
		ok    bool
	}{
		{Expectation{Bound: Bound{Is: number(2)}}, 2, true},
		{Expectation{Bound: Bound{Is: number(2.1)}}, 2, false},
		{Expectation{Bound: Bound{Is: number(2.1), Within: Tolerance{By: 0.05, Relative: true}}}, 2, true},
		{Expectation{Bound: Bound{Is: number(3.5), Within: Tolerance{By: 3, Errors: true}}}, 2, true},
		{Expectation{Bound: Bound{Is: number(4), Within: Tolerance{By: 3, Errors: true}}}, 2, false},
		{Expectation{Across: Least, Bound: Bound{AtLeast: number(1.5)}}, 1, false},
		{Expectation{Across: Most, Bound: Bound{Below: number(3)}}, 3, false},
		{Expectation{Across: Median, Bound: Bound{AtMost: number(2)}}, 2, true},
		{Expectation{Across: Every, Bound: Bound{Between: &[2]float64{1, 3}}}, 1, true},
		{Expectation{Across: Every, Bound: Bound{AtMost: number(2)}}, 3, false},
		{Expectation{Bound: Bound{Is: number(math.Inf(1))}}, 2, false},
	} {
		if v := tc.e.judge([]float64{1, 2, 3}); v.OK != tc.ok || v.Value != tc.value {
			t.Errorf("%s, across %q: %v, %t; want %v, %t", tc.e.Wanted(), tc.e.Across, v.Value, v.OK, tc.value, tc.ok)
		}
	}
}
