package sim

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Call is a request that serving another one makes, to this station or
// another. Calls may make calls in turn: what serves one request is a tree.
//
// A kind's calls are made in order, each once the one before has been
// answered, after the request's own Service; those of one Call with Parallel
// all at once, and so is one that goes Along with another. Meanwhile the request holds its slot in the gate and its worker
// (where a station shares its workers, its place and not its share). A
// connection pool is a station with as many Workers as connections, a Service
// of 0 and one Call.
//
// The first call that fails, all its attempts used up, fails the attempt that
// makes it, unless it is Optional: what that attempt still waits for is
// abandoned, its caller hears of an error and may try again.
//
// A caller that leaves does not stop the work that it asked for, nor the calls
// which that makes, except with [Client].Hangup: then no further call is made,
// those under way are left, and where their own Client says Hangup as well they
// leave the queues of their gates.
type Call struct {
	// Name names its random numbers and its row in the report. Empty: the name
	// of the station asked. Calls of one parent have different names.
	Name string
	// Station is the index of the station asked.
	Station int

	Service Service // what it takes there
	Calls   []Call  // and what it calls in turn

	// Times is how many of them are made. Zero: one.
	Times int
	// Parallel makes them all at once: a fan-out, which is answered when the
	// slowest is. Otherwise one is made after the other.
	Parallel bool
	// Along makes it at once with the call before it: a fan-out to several
	// stations. Of those that go along, each has one of Times or is Parallel,
	// and all have the same BeforeGate.
	Along bool
	// BeforeGate makes them before the gate of the asking station rules: a
	// look-up that refused requests cost, too. They hold neither slot nor
	// worker.
	BeforeGate bool
	// Tier names a tier of the asking station's gate: for a request that is to do
	// without it, the call is not made. Empty: it is made for all.
	Tier string
	// Optional says that the request goes on without it where it fails.
	Optional bool

	// Criticality is what its gate is told. Unset: that of the request, which
	// like its level and its tenant is inherited. Set, it replaces the
	// criticality alone.
	Criticality class.Criticality
	// Untagged inherits none of the three: its gate is told no criticality,
	// which counts as CRITICAL, level 0 and no tenant.
	Untagged bool
	Cost     int64 // as in [Kind]
	Bytes    int64 // as in [Kind]
	NoWait   bool  // as in [Kind]

	// Deadline is how long it has at most. It never has longer than is left of
	// what the gate of the asking station was told, less Margin: the deadline
	// is inherited. Zero: all that is left. Negative: nothing is inherited and
	// its gate is told nothing. One that has nothing left when it is to be made
	// is not sent, and fails.
	Deadline time.Duration
	// Margin is what the asking station keeps for itself.
	Margin time.Duration

	// Client is how the asking station behaves. A Patience of 0 waits until
	// the deadline; a longer one than that is cut. Client.Deadline has to be 0:
	// Deadline above is meant.
	Client Client
}

// maxLevels is how deep calls may lie, and maxTimes how many one Call may make.
const (
	maxLevels = 16
	maxTimes  = 1 << 16
)

// validCalls reports the faults of the calls that something makes.
func (s *Scenario) validCalls(where string, calls []Call, level int, f *faults) {
	if level > maxLevels {
		f.want(false, where, "want no more than %d calls within one another", maxLevels)
		return
	}
	seen := map[string]bool{}
	for i := range calls {
		c := &calls[i]
		at := fmt.Sprintf("%s.Calls[%d] %q", where, i, c.Name)
		ok := c.Station >= 0 && c.Station < len(s.Stations)
		f.want(ok, at+".Station", "want the index of a station, have %d", c.Station)
		if ok {
			name := c.name(s)
			f.want(!seen[name], at, "want names that differ, have two calls %q", name)
			seen[name] = true
		}
		f.want(c.Times >= 0 && c.Times <= maxTimes, at+".Times", "want 0 to %d, have %d", maxTimes, c.Times)
		if c.Along {
			c.validAlong(at, calls[:i], f)
		}
		f.want(c.Tier == "" || !c.BeforeGate, at+".Tier", "want none for a call before the gate, which has not said yet what to do without")
		f.want(c.Criticality.Valid(), at+".Criticality", "want a criticality, have %v", c.Criticality)
		f.want(!c.Untagged || c.Criticality == class.Unset, at+".Untagged", "want no Criticality with it, have %v", c.Criticality)
		f.want(c.Bytes >= 0, at+".Bytes", "want 0 or more, have %d", c.Bytes)
		f.want(c.Deadline <= longest, at+".Deadline", "want at most ten years, have %v", c.Deadline)
		f.want(c.Margin >= 0 && c.Margin <= longest, at+".Margin", "want a time of 0 or more, have %v", c.Margin)
		f.want(c.Client.Deadline == 0, at+".Client.Deadline", "want 0: a call has a Deadline of its own, have %v", c.Client.Deadline)
		validService(at, c.Service, f)
		c.Client.validate(at, f)
		s.validCalls(at, c.Calls, level+1, f)
	}
}

// validAlong reports the faults of a call that goes along with the last of
// those before it.
func (c *Call) validAlong(where string, before []Call, f *faults) {
	where += ".Along"
	if len(before) == 0 {
		f.want(false, where, "want a call before it")
		return
	}
	o := &before[len(before)-1]
	f.want(c.BeforeGate == o.BeforeGate, where, "want BeforeGate as of the call before it")
	f.want(c.Parallel || c.Times <= 1, where, "want Parallel for what is made %d times", c.Times)
	f.want(o.Along || o.Parallel || o.Times <= 1, where, "want a call before it that is Parallel where it is made %d times", o.Times)
}

// name is what the report calls it.
func (c *Call) name(s *Scenario) string {
	if c.Name != "" {
		return c.Name
	}
	return s.Stations[c.Station].Name
}
