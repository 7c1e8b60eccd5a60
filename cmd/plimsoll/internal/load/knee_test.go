package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/knee"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
)

// till serves one request at a time, each for so long, and refuses those who
// would wait longer than patience.
func till(service, patience time.Duration) func(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
	var lock sync.Mutex
	var free time.Duration
	return func(now time.Duration, _ *mix.Request, _ int) (target.Answer, time.Duration) {
		lock.Lock()
		defer lock.Unlock()
		wait := max(free-now, 0)
		if wait > patience {
			return target.Answer{Outcome: openloop.Refused, Reason: "queue_full"}, 0
		}
		free = now + wait + service
		return target.Answer{Outcome: openloop.Good}, wait + service
	}
}

// search runs the command against a fake.
func search(t *testing.T, ctx context.Context, f *fake, inFlight int) (knee.Report, error) {
	t.Helper()
	var out bytes.Buffer
	most, step := 2000.0, 3*time.Second
	c := RunCmd{Arrivals: "constant", KneeFlags: KneeFlags{FindKnee: true, KneeMost: &most, KneeStep: &step}, Outputs: Outputs{JSON: stdout}, Quiet: true}
	in := &input{plan: plan(t, "1/s", time.Second, mix.Class{})}
	in.plan.Target, in.plan.InFlight, f.start = f, inFlight, time.Now()
	err := c.findKnee(ctx, &kong.Context{Kong: &kong.Kong{Stdout: &out, Stderr: io.Discard}}, in)
	var r knee.Report
	if e := json.Unmarshal(out.Bytes(), &r); e != nil {
		t.Fatalf("%v\n%s", e, &out)
	}
	return r, err
}

// TestFindKnee: a service of 200 a second that refuses what it has no time for
// is found to be one, and to give as much at two and three times that.
func TestFindKnee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := search(t, t.Context(), &fake{serve: till(5*ms, 100*ms)}, 0)
		if err != nil || r.Ended != knee.Found || r.Knee < 190 || r.Knee > 215 || r.Capacity < 195 || r.Capacity > 215 || len(r.Over) != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
		for _, o := range r.Over {
			if o.OfCapacity < 0.95 {
				t.Errorf("%vx: %.2f of the capacity", o.Times, o.OfCapacity)
			}
		}
	})
}

// TestFindKneeInterrupted: what was found until then is written.
func TestFindKneeInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r, err := search(t, ctx, &fake{serve: till(5*ms, 100*ms)}, 0)
		var e *ended
		if !errors.As(err, &e) || e.code != exitInterrupted || len(r.Steps) != 3 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestFindKneeOfTheDead: of a service that serves nobody the search says so, and
// does not end in rates at which nobody is due.
func TestFindKneeOfTheDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nobody := func(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
			return target.Answer{Outcome: openloop.Refused, Reason: "status_503"}, 0
		}
		r, err := search(t, t.Context(), &fake{serve: nobody}, 0)
		var e *ended
		if !errors.As(err, &e) || e.code != exitMissed || r.Ended != knee.Nothing || r.Why == "" || len(r.Steps) == 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestFindKneeOfTheGenerator: where the generator is the bound, nothing is said
// of the service.
func TestFindKneeOfTheGenerator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := search(t, t.Context(), &fake{serve: after(900 * ms)}, 100)
		var e *ended
		if !errors.As(err, &e) || e.code != exitInvalid || r.Ended != knee.Generator {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
