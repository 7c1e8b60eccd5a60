package tally

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// record is one request of the oracle, which keeps them all.
type record struct {
	class    int
	due      time.Duration
	skipped  string
	attempts []attempt
	end      Request // Unsent: it is open
}

type attempt struct {
	done    time.Duration
	outcome openloop.Outcome
	reason  string
}

// random is a load of a few classes, with stalls, refusals and retries.
func random(r *rand.Rand, classes int, length time.Duration, n int) []record {
	var out []record
	outcomes := []openloop.Outcome{openloop.Good, openloop.Good, openloop.Good, openloop.Late, openloop.Refused, openloop.Failed}
	reasons := []string{"busy", "full", "predicted", "503"}
	for range n {
		rec := record{class: r.IntN(classes), due: time.Duration(r.Int64N(int64(length)))}
		rec.end = Request{Class: rec.class, Due: rec.due}
		switch r.IntN(20) {
		case 0:
			rec.skipped = []string{"in_flight", "late"}[r.IntN(2)]
		case 1: // stays open
		default:
			at := rec.due + time.Duration(r.ExpFloat64()*float64(100*time.Microsecond))
			rec.end.Sent = at
			for range 1 + r.IntN(3) {
				rec.end.Last = at
				at += time.Duration(math.Exp(r.NormFloat64()*2) * float64(20*time.Millisecond))
				a := attempt{done: at, outcome: outcomes[r.IntN(len(outcomes))]}
				if a.outcome == openloop.Refused || a.outcome == openloop.Failed {
					a.reason = reasons[r.IntN(len(reasons))]
				}
				rec.attempts = append(rec.attempts, a)
				rec.end.Outcome, rec.end.Reason, rec.end.Done = a.outcome, a.reason, at
			}
		}
		out = append(out, rec)
	}
	return out
}

func tell(t *Tally, records []record) {
	for _, r := range records {
		t.Offered(r.class, r.due)
		if r.skipped != "" {
			t.Skip(r.class, r.due, r.skipped)
			continue
		}
		for _, a := range r.attempts {
			t.Attempt(r.class, a.done, a.outcome, a.reason)
		}
		t.End(r.end)
	}
}

// expected is what the oracle says of those records that are chosen: everything
// by going through all of them again.
func expected(records []record, step time.Duration, peak, ran time.Duration) result.Class {
	c := result.Class{
		Skipped: map[string]int64{}, Refused: map[string]int64{}, Failed: map[string]int64{},
		AttemptsRefused: map[string]int64{}, AttemptsFailed: map[string]int64{},
	}
	at := func(d time.Duration) *result.Second {
		for len(c.Series) <= int(d/step) {
			c.Series = append(c.Series, result.Second{})
		}
		return &c.Series[d/step]
	}
	for _, r := range records {
		c.Offered++
		at(r.due).Offered++
		if r.skipped != "" {
			c.Skipped[r.skipped]++
			at(r.due).Skipped++
			continue
		}
		c.Sent++
		for _, a := range r.attempts {
			c.Attempts++
			at(a.done).Attempts++
			switch a.outcome {
			case openloop.Good:
				c.AttemptsGood++
				at(a.done).Done++
			case openloop.Late:
				c.AttemptsLate++
				at(a.done).Done++
			case openloop.Refused:
				c.AttemptsRefused[a.reason]++
			case openloop.Failed:
				c.AttemptsFailed[a.reason]++
			}
		}
		switch r.end.Outcome {
		case openloop.Good:
			c.Good++
			at(r.due).Good++
			at(r.end.Done).Answered++
		case openloop.Late:
			c.Late++
			at(r.due).Late++
		case openloop.Refused:
			c.Refused[r.end.Reason]++
			at(r.due).Refused++
		case openloop.Failed:
			c.Failed[r.end.Reason]++
			at(r.due).Failed++
		default:
			c.Open++
		}
	}
	c.Recovery = recovered(records, peak, ran)
	return c
}

// recovered looks at every window of a second that begins at a tenth of one.
func recovered(records []record, peak, ran time.Duration) *float64 {
	const tenth = 100 * time.Millisecond
	var back *float64
	for u := ran - time.Second; u >= peak; u -= tenth {
		offered, good := 0, 0
		for _, r := range records {
			if r.due >= u && r.due < u+time.Second {
				offered++
				if r.skipped == "" && r.end.Outcome == openloop.Good {
					good++
				}
			}
		}
		if float64(good) < 0.95*float64(offered) {
			break
		}
		s := (u - peak).Seconds()
		back = &s
	}
	return back
}

func TestOracle(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 8))
		length := time.Duration(3+r.IntN(8)) * time.Second
		peak := time.Duration(r.IntN(3)) * time.Second
		classes := []Class{{Name: "a", Criticality: "CRITICAL"}, {Name: "b"}, {Name: "c"}}
		records := random(r, len(classes), length, r.IntN(3000))
		if calm := peak + time.Second; seed%2 == 0 { // something to recover to
			for i := range records {
				if rec := &records[i]; rec.due > calm && rec.end.Done > 0 {
					rec.end.Outcome, rec.end.Reason = openloop.Good, ""
				} else if rec.due > calm {
					rec.due, rec.end.Due = 0, 0
				}
			}
		}
		tally := New(classes, length)
		tell(tally, records)
		end := peak.Seconds()
		got := tally.Result(result.Result{Length: length.Seconds(), Ran: length.Seconds(), PeakEnd: &end})
		check(t, seed, &got.All, records, peak, length)
		for i := range classes {
			c := &got.Classes[i]
			if c.Name != classes[i].Name || c.Criticality != classes[i].Criticality {
				t.Errorf("seed %d: class %d is %q %q", seed, i, c.Name, c.Criticality)
			}
			check(t, seed, c, slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.class != i }), peak, length)
		}
	}
}

// check compares all that is counted, then the times with the exact ones.
func check(t *testing.T, seed uint64, got *result.Class, records []record, peak, length time.Duration) {
	t.Helper()
	want := expected(records, time.Second, peak, length)
	has := *got
	has.Name, has.Criticality = "", ""
	has.Latency, has.Service, has.Slip, has.Turned, has.Parts = result.Times{}, result.Times{}, result.Times{}, result.Times{}, nil
	has.Series = slices.Clone(has.Series)
	for i := range has.Series {
		has.Series[i].P50, has.Series[i].P99 = 0, 0
	}
	for len(has.Series) > len(want.Series) && has.Series[len(has.Series)-1] == (result.Second{}) {
		has.Series = has.Series[:len(has.Series)-1] // all classes have as many rows
	}
	if g, w := fmt.Sprintf("%+v", deref(has)), fmt.Sprintf("%+v", deref(want)); g != w {
		t.Errorf("seed %d, %s:\ngot  %s\nwant %s", seed, got.Name, g, w)
	}
	var latency, service, slip, turned []time.Duration
	by := map[time.Duration][]time.Duration{}
	for _, r := range records {
		e := r.end
		if r.skipped != "" || e.Outcome == openloop.Unsent {
			continue
		}
		slip = append(slip, e.Sent-e.Due)
		if e.Outcome == openloop.Good || e.Outcome == openloop.Late {
			latency, service = append(latency, e.Done-e.Due), append(service, e.Done-e.Last)
			by[e.Due/time.Second] = append(by[e.Due/time.Second], e.Done-e.Due)
		} else {
			turned = append(turned, e.Done-e.Due)
		}
	}
	compareTimes(t, "latency", got.Latency, latency)
	compareTimes(t, "service", got.Service, service)
	compareTimes(t, "slip", got.Slip, slip)
	compareTimes(t, "turned away", got.Turned, turned)
	for i, s := range got.Series {
		near(t, fmt.Sprintf("p50 of second %d", i), s.P50, by[time.Duration(i)], 0.5, 0.01)
		near(t, fmt.Sprintf("p99 of second %d", i), s.P99, by[time.Duration(i)], 0.99, 0.01)
	}
}

// deref shows the recovery and not where it is.
func deref(c result.Class) any {
	recovery := -1.0
	if c.Recovery != nil {
		recovery = math.Round(*c.Recovery*1e6) / 1e6
	}
	c.Recovery = nil
	return struct {
		Recovery float64
		result.Class
	}{recovery, c}
}

func compareTimes(t *testing.T, what string, got result.Times, exact []time.Duration) {
	t.Helper()
	if got.Count != int64(len(exact)) {
		t.Errorf("%s of %d, want %d", what, got.Count, len(exact))
		return
	}
	if len(exact) == 0 {
		return
	}
	sum := 0.0
	for _, d := range exact {
		sum += milliseconds(d)
	}
	if mean := sum / float64(len(exact)); math.Abs(got.Mean-mean) > 1e-6*mean {
		t.Errorf("%s: mean %g, want %g", what, got.Mean, mean)
	}
	if most := milliseconds(slices.Max(exact)); got.Max != most {
		t.Errorf("%s: max %g, want %g", what, got.Max, most)
	}
	for _, v := range []struct{ got, q float64 }{{got.P50, 0.5}, {got.P90, 0.9}, {got.P99, 0.99}, {got.P999, 0.999}, {got.Quantile(0.25), 0.25}} {
		near(t, fmt.Sprintf("%s p%g", what, 100*v.q), v.got, exact, v.q, 0.001)
	}
}

// near holds a quantile to the exact ones of the ranks beside it: within the
// precision of the histogram, and a microsecond, in which times are counted.
func near(t *testing.T, what string, got float64, exact []time.Duration, q, precision float64) {
	t.Helper()
	if len(exact) == 0 {
		if got != 0 {
			t.Errorf("%s of nobody is %g", what, got)
		}
		return
	}
	slices.Sort(exact)
	rank := q * float64(len(exact))
	low := exact[min(max(int(math.Floor(rank))-1, 0), len(exact)-1)]
	high := exact[min(int(math.Ceil(rank)), len(exact)-1)]
	if got < milliseconds(low)*(1-precision)-0.001 || got > milliseconds(high)*(1+precision)+0.001 {
		t.Errorf("%s: %g, want %g to %g", what, got, milliseconds(low), milliseconds(high))
	}
}
