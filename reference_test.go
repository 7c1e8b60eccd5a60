package plimsoll

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// The reference cases: figures that were worked out independently of this
// project, reproduced by the machine that serves live traffic, in virtual
// time and through the public configuration.

const ms = time.Millisecond

// machine is what a Gate with this configuration would ask.
func machine(t *testing.T, c Config) *core.Machine {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return core.New(c.resolved())
}

func arrivalOf(c class.Criticality, deadline time.Duration) *core.Waiter {
	w := new(core.Waiter)
	w.Item.Rank, w.Item.Deadline = class.RankOf(c, 0), deadline
	return w
}

func list(w *core.Waiter) (all []*core.Waiter) {
	for w != nil {
		all = append(all, w)
		w = w.Next()
	}
	return all
}

// TestR02QueueBoundFromWaitBudget: L = mu x Wq. 1,000/s and 200 ms make 200
// places, 2,000/s and 100 ms as well.
func TestR02QueueBoundFromWaitBudget(t *testing.T) {
	for _, tc := range []struct {
		slots     int
		service   time.Duration
		wait      time.Duration
		wantBound int
	}{
		{10, 10 * ms, 200 * ms, 200},
		{20, 10 * ms, 100 * ms, 200},
	} {
		m := machine(t, Config{Limit: limit.NewFixed(tc.slots), ServiceTime: tc.service, MaxWait: tc.wait})
		for range tc.slots {
			m.Arrive(0, arrivalOf(class.Critical, core.Never))
		}
		queued := 0
		for {
			d, _ := m.Arrive(0, arrivalOf(class.Critical, core.Never))
			if d.Verdict != core.Waiting {
				if d.Reason != core.QueueFull {
					t.Errorf("the first that found no place: %v, want %v", d.Reason, core.QueueFull)
				}
				break
			}
			queued++
		}
		if queued != tc.wantBound || m.Status(0).Places != tc.wantBound {
			t.Errorf("%d slots of %v, %v of waiting: %d queued, bound %d; want %d", tc.slots, tc.service, tc.wait, queued, m.Status(0).Places, tc.wantBound)
		}
	}
}

// TestR03LittlesLaw: in flight = rate x latency, measured on a machine that
// bounds nothing; and sixty slots at 200 ms complete 300 a second.
func TestR03LittlesLaw(t *testing.T) {
	for _, tc := range []struct {
		rate    int
		latency time.Duration
		want    int
	}{
		{2000, 50 * ms, 100},
		{2000, 1000 * ms, 2000},
		{800, 50 * ms, 40},
	} {
		m := machine(t, Config{Limit: limit.NewFixed(10_000)})
		r := run{m: m, service: tc.latency}
		every := time.Second / time.Duration(tc.rate)
		for now := time.Duration(0); now < 3*time.Second; now += every {
			r.arrive(now, class.Critical, core.Never)
		}
		if got := m.InFlight(); got != tc.want {
			t.Errorf("%d/s of %v: %d in flight, want %d", tc.rate, tc.latency, got, tc.want)
		}
	}

	m := machine(t, Config{Limit: limit.NewFixed(60), MaxWait: time.Minute, MaxQueue: 100, Order: queue.OldestFirst})
	r := run{m: m, service: 200 * ms}
	warm := 0
	for now := time.Duration(0); now <= 11*time.Second; now += ms {
		if r.arrive(now, class.Critical, core.Never); now == time.Second {
			warm = r.served
		}
	}
	if got := r.served - warm; got != 3000 {
		t.Errorf("60 slots of 200 ms completed %d in 10 s, want 3000", got)
	}
}

// run drives a machine whose admitted work takes a fixed time.
type run struct {
	m       *core.Machine
	service time.Duration
	busy    []*core.Waiter // in the order they finish
	served  int
	late    int
	refused map[core.Reason]int
}

// to finishes everything that ends up to now, in order, and does what is due.
func (r *run) to(now time.Duration) {
	for {
		at, next := core.Never, r.m.Next()
		if len(r.busy) > 0 {
			at = r.busy[0].Started() + r.service
		}
		switch {
		case at <= now && at <= next:
			w := r.busy[0]
			r.busy = r.busy[1:]
			r.served++
			if at > w.Item.Deadline {
				r.late++
			}
			r.take(r.m.Finish(at, w, core.Success))
		case next <= now:
			r.take(r.m.Advance(next))
		default:
			return
		}
	}
}

func (r *run) take(moved *core.Waiter) {
	for _, w := range list(moved) {
		r.settle(w, w.Decision())
	}
}

func (r *run) settle(w *core.Waiter, d core.Decision) {
	switch d.Verdict {
	case core.Admitted:
		r.busy = append(r.busy, w)
	case core.Refused:
		if r.refused == nil {
			r.refused = map[core.Reason]int{}
		}
		r.refused[d.Reason]++
	}
}

func (r *run) arrive(now time.Duration, c class.Criticality, deadline time.Duration) {
	r.to(now)
	w := arrivalOf(c, deadline)
	d, moved := r.m.Arrive(now, w)
	r.take(moved)
	r.settle(w, d)
}

// TestR05ThreeBoundedLanes: capacity 40, newest first above 20, one worker of
// 10 ms, 150/s for 2 s and then 50/s, every caller waits 300 ms, one in ten
// critical, three in ten sheddable; one step a millisecond.
func TestR05ThreeBoundedLanes(t *testing.T) {
	m := machine(t, Config{
		Limit: limit.NewFixed(1), ServiceTime: 10 * ms,
		MaxQueue: 40, MaxWait: time.Hour,
		Order: queue.Adaptive, NewestAbove: 20, Standing: -1,
		NoPrediction: true, ExpireAtDequeue: true,
	})
	mix := [10]class.Criticality{class.CriticalPlus,
		class.Critical, class.Critical, class.Critical, class.Critical, class.Critical, class.Critical,
		class.Sheddable, class.Sheddable, class.Sheddable}
	var offered, served [class.Count]int
	refused := map[core.Reason]int{}
	var busy *core.Waiter
	late := 0
	see := func(w *core.Waiter, d core.Decision) {
		switch d.Verdict {
		case core.Admitted:
			busy = w
			served[w.Item.Rank.Criticality().Lane()]++
		case core.Refused:
			refused[d.Reason]++
		}
	}
	credit, id := 0.0, 0
	for step := range 4000 {
		now := time.Duration(step) * ms
		if credit += 0.05; step < 2000 {
			credit += 0.10
		}
		for credit >= 1 {
			credit--
			w := arrivalOf(mix[id%10], now+300*ms)
			offered[w.Item.Rank.Criticality().Lane()]++
			id++
			d, moved := m.Arrive(now, w)
			for _, v := range list(moved) {
				see(v, v.Decision())
			}
			see(w, d)
		}
		if busy != nil && now >= busy.Started()+10*ms {
			if w := busy; now > w.Item.Deadline {
				late++
			}
			w := busy
			busy = nil
			for _, v := range list(m.Finish(now, w, core.Success)) {
				see(v, v.Decision())
			}
		}
	}
	lanes := func(n [class.Count]int) [3]int {
		return [3]int{n[class.CriticalPlus.Lane()], n[class.Critical.Lane()], n[class.Sheddable.Lane()]}
	}
	if got, want := lanes(offered), [3]int{40, 240, 120}; got != want {
		t.Errorf("offered %v, want %v", got, want)
	}
	if got, want := lanes(served), [3]int{40, 232, 36}; got != want {
		t.Errorf("served %v, want %v", got, want)
	}
	expired := refused[core.Expired] + refused[core.Hopeless]
	if refused[core.QueueFull] != 18 || refused[core.Evicted] != 42 || expired != 32 || late != 0 {
		t.Errorf("refused %d, evicted %d, expired %d, late %d; want 18, 42, 32, 0 (%v)", refused[core.QueueFull], refused[core.Evicted], expired, late, refused)
	}
}

// TestR12ProportionalRefusal: limit 100, target utilisation 0.9, the wait
// predicted as in flight / limit seconds.
func TestR12ProportionalRefusal(t *testing.T) {
	for _, tc := range []struct {
		slack time.Duration
		want  int
	}{
		{time.Second, 90},
		{500 * ms, 51},
	} {
		m := machine(t, Config{Limit: limit.NewFixed(100), Utilisation: 0.9, ServiceTime: time.Second, MaxQueue: -1})
		admitted := 0
		for range 200 {
			// The slack is what is left for waiting, besides the service itself.
			if d, _ := m.Arrive(0, arrivalOf(class.Critical, tc.slack+time.Second)); d.Verdict == core.Admitted {
				admitted++
			}
		}
		if admitted != tc.want {
			t.Errorf("slack %v: %d admitted, want %d", tc.slack, admitted, tc.want)
		}
	}
}

// TestR19Burst: 8 workers of 25 ms, 2,000 at once, callers wait 1.5 s: the
// deadline alone lets 480 in, and all of them finish in time.
func TestR19Burst(t *testing.T) {
	m := machine(t, Config{Limit: limit.NewFixed(8), ServiceTime: 25 * ms, MaxWait: time.Hour})
	r := run{m: m, service: 25 * ms}
	for range 2000 {
		r.arrive(0, class.Critical, 1500*ms)
	}
	if inside := m.Status(0); inside.InFlight+inside.Depth != 480 {
		t.Errorf("%d running and %d waiting, want 480 inside", inside.InFlight, inside.Depth)
	}
	r.to(time.Minute)
	if r.served != 480 || r.late != 0 {
		t.Errorf("%d served, %d of them late (refused %v); want 480 and none", r.served, r.late, r.refused)
	}

	// 64 running, 128 waiting places, 400 at once.
	m = machine(t, Config{Limit: limit.NewFixed(64), MaxQueue: 128, MaxWait: time.Minute})
	r = run{m: m, service: 25 * ms}
	for range 400 {
		r.arrive(0, class.Critical, core.Never)
	}
	if inside := m.Status(0).InFlight + m.Status(0).Depth; inside != 192 || r.refused[core.QueueFull] != 208 {
		t.Errorf("%d admitted, %v refused; want 192 and 208", inside, r.refused)
	}
}
