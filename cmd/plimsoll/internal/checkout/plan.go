package checkout

import "time"

// step is a stretch of a run at one rate.
type step struct {
	name    string
	rate    float64 // arrivals a second
	settle  time.Duration
	counted time.Duration // what the figures are of, after settle
}

func (s step) length() time.Duration { return s.settle + s.counted }

// plan is everything about the story that is fixed before it begins.
type plan struct {
	measured time.Duration // how long each capacity is measured
	callers  int           // in the closed loop that does it
	before   [][]step      // each against a fresh checkout: the backlog of one would spoil the next
	after    []step        // one after the other
	quotes   step          // of the pricing service's story
	others   float64       // what others ask pricing a second
}

// The rates of the story, in shoppers a second. None of them is told to
// anything but the generator.
const (
	calmRate = 300
	worst    = 1000
)

var rates = []float64{460, 520, 700}

// The names of what is played apart from the rates.
const (
	warmUp   = "warm-up"
	overload = "overload"
	recovery = "recovery"
)

// enough is an overload after which the checkout that goes down is as far down
// as it gets.
const enough = time.Minute

// newPlan is the story with an overload of that length at the worst rate. Until
// the backlog is as old as shoppers are patient, which takes 15 s at 520 a
// second, even the checkout that goes down answers in time; fast leaves that out
// and shows it at the worst rate alone.
func newPlan(long time.Duration, fast bool) plan {
	p := plan{
		measured: 5 * time.Second, callers: 300,
		quotes: step{rate: 30, settle: 10 * time.Second, counted: 10 * time.Second},
		others: 50,
	}
	settle, counted, rest := 30*time.Second, 15*time.Second, 30*time.Second
	if fast {
		p.measured, settle, counted, rest = 3*time.Second, 5*time.Second, 3*time.Second, 8*time.Second
		p.quotes.settle, p.quotes.counted = 6*time.Second, 4*time.Second
	}
	storm := func(long time.Duration) step {
		end := min(long/2, counted)
		return step{overload, worst, long - end, end}
	}
	calm := step{recovery, calmRate, rest - rest/4, rest / 4}
	p.after = append(p.after, step{name: warmUp, rate: calmRate, settle: settle / 3})
	for _, rate := range rates {
		if !fast || rate == rates[0] {
			p.before = append(p.before, []step{{"", rate, settle, counted}})
		}
		p.after = append(p.after, step{"", rate, settle, counted})
	}
	p.before = append(p.before, []step{storm(min(long, enough)), calm})
	p.after = append(p.after, storm(long), calm)
	return p
}
