package retry

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestNext(t *testing.T) {
	p := Policy{Backoff: Backoff{Base: 100 * ms, Jitter: NoJitter}}
	ok := Failed{Attempt: 1, Repeatable: true, Deadline: class.Forever}
	with := func(change func(*Failed)) Failed {
		f := ok
		change(&f)
		return f
	}
	for name, tc := range map[string]struct {
		f    Failed
		wait time.Duration
		why  Reason
	}{
		"another":                         {ok, 100 * ms, Again},
		"a third":                         {with(func(f *Failed) { f.Attempt = 2 }), 200 * ms, Again},
		"no fourth":                       {with(func(f *Failed) { f.Attempt = 3 }), 0, NoAttempts},
		"not twice":                       {with(func(f *Failed) { f.Repeatable = false }), 0, NotRepeatable},
		"an inner layer has tried":        {with(func(f *Failed) { f.GivenUp = true }), 0, GivenUp},
		"and so it stays elsewhere":       {with(func(f *Failed) { f.GivenUp, f.Elsewhere = true, true }), 0, GivenUp},
		"it has too much to do":           {with(func(f *Failed) { f.Overloaded = true }), 0, Overloaded},
		"another place has not":           {with(func(f *Failed) { f.Overloaded, f.Elsewhere = true, true }), 100 * ms, Again},
		"asked not to":                    {with(func(f *Failed) { f.Pushback = NoRetry }), 0, ToldNot},
		"asked to wait":                   {with(func(f *Failed) { f.Pushback = 3 * time.Second }), 3 * time.Second, Again},
		"asked for less than the backoff": {with(func(f *Failed) { f.Pushback = 3 }), 100 * ms, Again},
		"just in time":                    {with(func(f *Failed) { f.Deadline = time.Second + 101*ms }), 100 * ms, Again},
		"just not":                        {with(func(f *Failed) { f.Deadline = time.Second + 100*ms }), 0, NoTime},
		"begins in time, but ends late":   {with(func(f *Failed) { f.Deadline, f.Need = time.Second+120*ms, 200*ms }), 0, NoTime},
		"asked to wait for too long":      {with(func(f *Failed) { f.Deadline, f.Pushback = 2*time.Second, time.Second }), 0, NoTime},
		"the deadline is over":            {with(func(f *Failed) { f.Deadline = 1 }), 0, NoTime},
	} {
		wait, why := p.Next(time.Second, tc.f, nil, source())
		if wait != tc.wait || why != tc.why {
			t.Errorf("%s: %v after %v, want %v after %v", name, why, wait, tc.why, tc.wait)
		}
	}
}

// TestB06NoSleepThatIsInVain: 200 ms to live, the first attempt fails at 20 ms
// and the next would be at 1020 ms: it is over at 20 ms, and costs no budget.
func TestB06NoSleepThatIsInVain(t *testing.T) {
	p, b := Policy{Backoff: Backoff{Base: time.Second, Jitter: NoJitter}}, NewBudget(BudgetConfig{Reserve: 1})
	before := b.Balance(20 * ms)
	wait, why := p.Next(20*ms, Failed{Attempt: 1, Repeatable: true, Deadline: 200 * ms}, b, source())
	if wait != 0 || why != NoTime {
		t.Errorf("%v after %v, want %v at once", why, wait, NoTime)
	}
	if after := b.Balance(20 * ms); after != before || before != 10 {
		t.Errorf("%v retries are left of %v", after, before)
	}
}

// TestB44OuterLayersDoNotRetry: client, two proxies and a destination that
// refuses always, four attempts for each layer: the innermost layer makes four,
// and what it has given up on is not made again.
func TestB44OuterLayersDoNotRetry(t *testing.T) {
	p, r, reached := Policy{Attempts: 4}, source(), 0
	var send func(layer int) (givenUp bool)
	send = func(layer int) bool {
		if layer == 0 {
			reached++
			return false // a refusal of which nobody says that it must not be repeated
		}
		for attempt := 1; ; attempt++ {
			f := Failed{Attempt: attempt, Repeatable: true, GivenUp: send(layer - 1), Deadline: class.Forever}
			if _, why := p.Next(0, f, nil, r); why != Again {
				return true
			}
		}
	}
	send(3)
	if reached != 4 {
		t.Errorf("%d attempts reach it through three layers, want 4", reached)
	}
}

// TestB22ScheduledRetriesCount: 100 failures that wait for an hour's backoff
// have used the budget up when they are decided on.
func TestB22ScheduledRetriesCount(t *testing.T) {
	p := Policy{Attempts: 2, Backoff: Backoff{Base: time.Hour, Max: time.Hour}}
	b, r := NewBudget(BudgetConfig{Share: 0.1, Reserve: 1}), source()
	for range 100 {
		b.Request(0)
	}
	again := 0
	for range 100 {
		if _, why := p.Next(0, Failed{Attempt: 1, Repeatable: true, Deadline: class.Forever}, b, r); why == Again {
			again++
		} else if why != OutOfBudget {
			t.Fatal(why)
		}
	}
	if again != 20 || b.Refused() != 80 || b.Balance(0) != 0 {
		t.Errorf("%d retries, %d refused, %v left; want 20, 80 and none", again, b.Refused(), b.Balance(0))
	}
	if n := b.Balance(time.Minute); n != 10 {
		t.Errorf("%v are left after an idle minute, want the reserve of ten seconds", n)
	}
}

// TestB22ABalanceIsClamped: ten requests are worth one retry beside a reserve
// of 100, and a million of them no more than ten seconds' worth.
func TestB22ABalanceIsClamped(t *testing.T) {
	b := NewBudget(BudgetConfig{Share: 0.1, Reserve: 10})
	for range 10 {
		b.Request(0)
	}
	if n := b.Balance(0); n != 101 {
		t.Errorf("%v retries after ten requests, want 101", n)
	}
	for i := range 1_000_000 {
		b.Request(time.Duration(i) * ms)
	}
	if n := b.Balance(1000 * time.Second); n > 1100 {
		t.Errorf("%v retries after a calm while, want 1,100 at most", n)
	}
}

func TestValidate(t *testing.T) {
	if err := (Policy{}).Validate(); err != nil {
		t.Error(err)
	}
	if err := (BudgetConfig{}).Validate(); err != nil {
		t.Error(err)
	}
	bad := Policy{Attempts: -1, Backoff: Backoff{Base: -1, Max: -1, Jitter: 7}}.Validate()
	nan := BudgetConfig{Share: math.NaN(), Reserve: math.Inf(1)}.Validate()
	if bad == nil || nan == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{"Attempts", "Backoff.Base", "Backoff.Max", "Backoff.Jitter", "Share", "Reserve"} {
		if !strings.Contains(bad.Error()+"\n"+nan.Error(), "retry: "+want+": want ") {
			t.Errorf("no fault of %s in\n%v\n%v", want, bad, nan)
		}
	}
	if err := (BudgetConfig{Reserve: -1}).Validate(); err == nil {
		t.Error("a negative reserve is valid")
	}
}

func TestNothingAllocates(t *testing.T) {
	p, b, r := Policy{Backoff: Backoff{Base: ms}}, NewBudget(BudgetConfig{}), source()
	if n := testing.AllocsPerRun(1000, func() {
		b.Request(0)
		p.Next(0, Failed{Attempt: 1, Repeatable: true, Deadline: class.Forever}, b, r)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNext(b *testing.B) {
	p, budget, r := Policy{Backoff: Backoff{Base: ms}}, NewBudget(BudgetConfig{}), source()
	for b.Loop() {
		budget.Request(0)
		p.Next(0, Failed{Attempt: 1, Repeatable: true, Deadline: class.Forever}, budget, r)
	}
}
