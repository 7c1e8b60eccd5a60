package demo

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// tale is a made-up result.
func tale() result {
	p := newPlan(false, 1)
	bare := run{phases: make([]summary, 4), slip: time.Millisecond}
	gate := run{gate: true, phases: make([]summary, 4), recovered: true, recovery: 250 * time.Millisecond}
	for i, ph := range append(p.phases[:3:3], p.slower[1]) {
		bare.phases[i].phase, gate.phases[i].phase = ph, ph
	}
	b, g := &bare.phases[overload], &gate.phases[overload]
	b.total, b.completions, b.answered = tally{openloop.Good: 900, openloop.Late: 13820}, 7360, 900
	b.classes[class.CriticalPlus.Lane()] = tally{openloop.Good: 90, openloop.Late: 1382}
	g.total, g.completions, g.answered = tally{openloop.Good: 7280, openloop.Refused: 7440}, 7288, 7200
	g.classes[class.CriticalPlus.Lane()] = tally{openloop.Good: 1472}
	g.p50, g.p99 = 40*time.Millisecond, 120500*time.Microsecond
	bare.phases[slower].total, gate.phases[slower].total = tally{openloop.Good: 920}, tally{openloop.Good: 917, openloop.Refused: 3}
	bare.series, gate.series = course(p, false), course(p, true)
	for i := range 10 {
		m := moment{offered: 110 + i*7%11, completions: 112 - i%3, answered: 111 - i%2}
		bare.slower, gate.slower = append(bare.slower, m), append(gate.slower, m)
	}
	return result{plan: p, capacity: 459.876, runs: []run{bare, gate}}
}

// course is a made-up series: at 2 s the load rises, at 18 s it falls, and a
// bare backend answers nobody in time from 4 s on.
func course(p plan, gate bool) []moment {
	out := make([]moment, length(p.phases)/p.step)
	for i := range out {
		ripple := i * 7 % 11
		switch m := (moment{offered: 155 + ripple, completions: 155 + ripple, answered: 155 + ripple}); {
		case i < 4 || gate && i >= 36:
			out[i] = m
		case gate:
			out[i] = moment{offered: 2*m.offered + 140, completions: 230, answered: 228 - ripple%3}
		case i < 8:
			out[i] = moment{offered: 2*m.offered + 140, completions: 230, answered: 230 - 60*(i-4)}
		case i < 36:
			out[i] = moment{offered: 2*m.offered + 140, completions: 230}
		default:
			out[i] = moment{offered: m.offered, completions: 230}
		}
	}
	return out
}

func TestJSONHasTheShapeThatIsPromised(t *testing.T) {
	var buf strings.Builder
	if err := tale().writeJSON(&buf); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Capacity float64 `json:"capacity_per_s"`
		Runs     []struct {
			Gate     *bool    `json:"gate"`
			Recovery *float64 `json:"recovery_s"`
			Phases   []map[string]any
			Series   map[string]any
		}
	}
	if err := json.Unmarshal([]byte(buf.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Capacity != 459.88 || len(got.Runs) != 2 || *got.Runs[0].Gate || !*got.Runs[1].Gate {
		t.Fatalf("%+v", got)
	}
	if got.Runs[0].Recovery != nil || *got.Runs[1].Recovery != 0.25 {
		t.Errorf("recovery_s: %v and %v, want null and 0.25", got.Runs[0].Recovery, got.Runs[1].Recovery)
	}
	if !strings.Contains(buf.String(), `"recovery_s": null`) {
		t.Error("recovery_s of the bare run is left out, want null")
	}
	over := got.Runs[1].Phases[overload]
	for key, want := range map[string]any{
		"name": "overload", "offered_per_s": 920.0, "throughput_per_s": 455.5, "goodput_per_s": 450.0,
		"refused_per_s": 465.0, "late_per_s": 0.0, "p50_ms": 40.0, "p99_ms": 120.5,
	} {
		if over[key] != want {
			t.Errorf("%s: %v, want %v", key, over[key], want)
		}
	}
	series := got.Runs[0].Series
	if series["step_s"] != 0.5 || len(series) != 4 {
		t.Errorf("series: %v", series)
	}
	for key, want := range map[string]float64{"offered_per_s": 310, "throughput_per_s": 310, "goodput_per_s": 310} {
		if all := series[key].([]any); len(all) != 44 || all[0] != want {
			t.Errorf("series, %s: %v", key, all)
		}
	}
	if apart := got.Runs[1].Phases[slower]; apart["name"] != "slower" || apart["refused_per_s"] != 0.75 {
		t.Errorf("slower: %v", apart)
	}
	classes := over["classes"].(map[string]any)
	if len(classes) != 3 {
		t.Errorf("classes: %v", classes)
	}
	plus := classes["CRITICAL_PLUS"].(map[string]any)
	if plus["offered"] != 1472.0 || plus["good"] != 1472.0 {
		t.Errorf("CRITICAL_PLUS: %v", plus)
	}
}

func TestTableTellsTheStory(t *testing.T) {
	var buf strings.Builder
	tale().print(&buf)
	for _, want := range []string{
		"capacity 460/s",
		"offered   throughput   goodput   refused    late      p50      p99",
		"overload 2.0x        920          456       450       465       0     40ms    120ms",
		"overload       CRITICAL_PLUS      1472      1472         0         0",
		"recovery: none in the 4.0 s that followed",
		"recovery: goodput was back for good 0.25 s after",
		"12 % of its capacity reached a caller",
		"1382 of 1472 CRITICAL_PLUS requests were lost",
		"Behind the gate 98 % did",
		"Not one CRITICAL_PLUS request was lost",
		"slower 0.5x          230            0         0         1       0",
		"At 0.5 times the capacity, with 100ms of delay added downstream, it refused 3 of 920.",
	} {
		if !strings.Contains(buf.String(), want) {
			t.Errorf("no %q in\n%s", want, buf.String())
		}
	}
	if strings.Contains(buf.String(), "Doubtful") {
		t.Errorf("a sound result is called doubtful:\n%s", buf.String())
	}
}

func TestADoubtfulRunSaysSo(t *testing.T) {
	r := tale()
	r.runs[0].slip = 80 * time.Millisecond
	r.runs[1].phases[0].total[openloop.Failed] = 3
	got := strings.Join(r.warnings(), "\n")
	for _, want := range []string{"Bare: the generator itself was 80ms late", "default settings: 3 requests failed"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestLiveLine(t *testing.T) {
	p := newPlan(false, 1)
	then := reading{at: time.Unix(0, 0)}
	now := reading{at: time.Unix(2, 0), offered: 1840, attempts: 5520, good: 0, served: 919}
	got := status(p.phases, 12*time.Second, then, now, 12345)
	want := " 12s overload per second: offered 920 tries 2760 done 460 good 0  queue 12345"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(got) >= 80 {
		t.Errorf("%d columns wrap on a terminal", len(got))
	}
}
