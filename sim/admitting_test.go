package sim

import (
	"testing"
	"time"
)

// turning is an admitter that turns the workers' queue, and notes that it was
// asked.
type turning struct {
	leaver
	asked int
}

func (a *turning) NewestFirst() bool { a.asked++; return true }

// A process that has been killed begins with an admitter of its own, which has
// all the say that the first one had.
func TestAdmitterOfAKilledProcess(t *testing.T) {
	var made []*turning
	s := streams(nil)
	s.Sources = []Source{{Arrivals: Constant{Rate: 5}, Kinds: s.Sources[1].Kinds}}
	s.Stations[0].Admitter = func() Admitter {
		made = append(made, &turning{})
		return made[len(made)-1]
	}
	s.Stations[0].Disturbances = []Disturbance{{At: 5 * time.Second, Effect: Restart(time.Second)}}
	if _, err := Run(s, 1); err != nil {
		t.Fatal(err)
	}
	if len(made) != 2 || made[0].asked == 0 || made[1].asked == 0 {
		t.Errorf("%d were made, asked %+v", len(made), made)
	}
}

// An admitter in front of processors that are shared sees as many workers as
// it is best to have jobs in flight.
func TestAdmitterSeesSharedWorkers(t *testing.T) {
	for _, c := range []struct {
		by   Sharing
		want int
	}{
		{Sharing{Cores: 8}, 8},
		{Sharing{}, 1},
		{Sharing{Contention: 0.02, Coherence: 0.001}, 31},
	} {
		of := Station{Sharing: &c.by, Admitter: func() Admitter { return &leaver{} }}
		var st station
		st.open(&of)
		st.busy = 100
		if v := st.view(0); v.Workers != c.want || v.Busy != c.want {
			t.Errorf("%+v: %d of %d workers busy, want %d", c.by, v.Busy, v.Workers, c.want)
		}
	}
}
