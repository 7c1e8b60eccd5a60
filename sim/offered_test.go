package sim

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// What is offered is what a run meets: with room for everybody the workers do
// just that.
func TestOfferedIsWhatARunMeets(t *testing.T) {
	s := Scenario{
		Length: 10 * time.Second,
		Sources: []Source{
			{Name: "web", Arrivals: Poisson{Rate: 50}, Kinds: []Kind{
				{Name: "a", Service: Exponential(10 * time.Millisecond), Criticality: class.Sheddable, Client: Client{Patience: time.Hour}, Calls: []Call{
					{Station: 1, Service: Exponential(5 * time.Millisecond), Times: 3, Parallel: true, Calls: []Call{
						{Station: 2, Name: "row", Service: Lognormal{time.Millisecond, 1}},
					}},
					{Station: 2, Name: "look-up", Service: Exponential(time.Millisecond), BeforeGate: true},
				}},
				{Name: "b", Weight: 2, Service: Deterministic(time.Millisecond), Tenant: "t"},
			}},
			{Name: "batch", Arrivals: Batch{N: 7, At: time.Second}, Station: 2, Kinds: []Kind{{Service: Exponential(time.Second)}}},
			{Name: "loop", Users: 2, Kinds: []Kind{{Service: Deterministic(time.Millisecond)}}},
		},
		Stations: []Station{{Name: "front"}, {Name: "middle"}, {Name: "store"}},
	}
	offers, err := Offered(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	s.Sources = s.Sources[:2]
	r, err := Run(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	var needs [3]time.Duration
	kinds := map[[2]int]uint64{}
	for i, o := range offers {
		for j, n := range o.Needs {
			needs[j] += n
		}
		kinds[[2]int{o.Source, o.Kind}]++
		if i > 0 && o.At < offers[i-1].At {
			t.Fatal("out of order")
		}
		if late := o.Deadline - o.At; o.Source == 0 && o.Kind == 0 && late != time.Hour {
			t.Fatalf("deadline after %v, want an hour", late)
		}
	}
	for i, k := range r.Kinds {
		at := [][2]int{{0, 0}, {0, 1}, {1, 0}}[i]
		if k.Offered != kinds[at] {
			t.Errorf("%s/%s: %d offered, the run met %d", k.Source, k.Kind, kinds[at], k.Offered)
		}
	}
	worked := r.Kinds[0].Worked + r.Kinds[1].Worked + r.Kinds[2].Worked
	for _, c := range r.Calls {
		worked += c.Worked
	}
	if sum := needs[0] + needs[1] + needs[2]; sum != worked {
		t.Errorf("%v needed, the workers did %v", sum, worked)
	}
}

// The last usable deadline of a request that is tried again.
func TestOfferedDeadline(t *testing.T) {
	s := Scenario{
		Length: time.Second,
		Sources: []Source{{Arrivals: Batch{N: 1}, Kinds: []Kind{{
			Service: Deterministic(0),
			Client:  Client{Patience: time.Second, Attempts: 4, Backoff: 100 * time.Millisecond, MaxBackoff: 150 * time.Millisecond},
		}}}},
		Stations: []Station{{}},
	}
	offers, err := Offered(s, 1)
	if err != nil || len(offers) != 1 || offers[0].Deadline != 4*time.Second+400*time.Millisecond {
		t.Errorf("have %+v, %v; want a deadline of 4.4s", offers, err)
	}
	if _, err := Offered(Scenario{}, 1); err == nil {
		t.Error("a faulty scenario was taken")
	}
}
