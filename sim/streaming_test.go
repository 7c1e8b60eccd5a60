package sim

import (
	"testing"
	"time"
)

// streams is two streams of ten seconds and a request between them, 100 ms of
// one worker each.
func streams(g *Gate) Scenario {
	const ms = time.Millisecond
	kind := func(stream Service) []Kind {
		return []Kind{{Service: Deterministic(100 * ms), Stream: stream, Client: Client{Patience: time.Second, Hangup: true}}}
	}
	return Scenario{
		Length: time.Minute,
		Sources: []Source{
			{Name: "streams", Arrivals: Trace{0, 200 * ms}, Kinds: kind(Deterministic(10 * time.Second))},
			{Name: "requests", Arrivals: Trace{100 * ms, 400 * ms}, Kinds: kind(nil)},
		},
		Stations: []Station{{Workers: 1, Gate: g}},
	}
}

// A stream is answered with its first byte, and gives worker and slot back with
// it; it is inside until its end.
func TestStreams(t *testing.T) {
	for name, g := range map[string]*Gate{"ungated": nil, "one slot": {Limit: Fixed(1)}} {
		r, err := Run(streams(g), 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.Total.Good != 4 || r.Total.Slowest != 100*time.Millisecond || r.Total.RefusedTotal() != 0 {
			t.Errorf("%s: good %d, the slowest after %v, refused %d; want 4, 100ms, 0", name, r.Total.Good, r.Total.Slowest, r.Total.RefusedTotal())
		}
		if r.End != 10300*time.Millisecond {
			t.Errorf("%s: the last stream ended at %v, want 10.3s", name, r.End)
		}
		// Two stays of 10.1 s and two of 0.1 s.
		if got := r.Stations[0].Sojourn; got != 5100*time.Millisecond {
			t.Errorf("%s: inside for %v in the mean, want 5.1s", name, got)
		}
	}
}

// Without a place among the streams, one keeps its slot.
func TestStreamsWithoutAPlace(t *testing.T) {
	r, err := Run(streams(&Gate{Limit: Fixed(1), MaxStreams: -1, MaxQueue: -1}), 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Total.Good != 1 || r.Total.RefusedTotal() != 3 {
		t.Errorf("good %d, refused %d; want 1 and 3", r.Total.Good, r.Total.RefusedTotal())
	}
}

// A process that is killed ends its streams; their callers had their answers.
func TestStreamsOfAKilledProcess(t *testing.T) {
	s := streams(&Gate{Limit: Fixed(1)})
	s.Stations[0].Disturbances = []Disturbance{{At: 5 * time.Second, Effect: Restart(time.Second)}}
	r, err := Run(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Total.Good != 4 || r.Total.Failed != 0 || r.Total.Lost != 0 || r.End > 7*time.Second {
		t.Errorf("good %d, failed %d, lost %d, end %v", r.Total.Good, r.Total.Failed, r.Total.Lost, r.End)
	}
}

// leaver notes who leaves.
type leaver struct{ left int }

func (*leaver) Arrive(View, Request) Admission          { return Admit }
func (*leaver) Room(View) bool                          { return false }
func (*leaver) Begin(View, Request, time.Duration) bool { return true }
func (*leaver) End(View, Request, Served)               {}
func (*leaver) Limit() int                              { return 0 }
func (l *leaver) Left(View, Request)                    { l.left++ }

// An admitter hears of callers that leave what it has admitted.
func TestLeaver(t *testing.T) {
	l := &leaver{}
	s := streams(nil)
	s.Sources[1].Kinds[0].Client.Patience = 50 * time.Millisecond
	s.Stations[0].Admitter = func() Admitter { return l }
	if _, err := Run(s, 1); err != nil {
		t.Fatal(err)
	}
	if l.left != 2 {
		t.Errorf("%d left, want the two requests", l.left)
	}
}
