package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/stats"
)

// Reason says why an attempt was refused, as plimsoll.Reason does.
type Reason = core.Reason

// The reasons.
const (
	QueueFull   = core.QueueFull
	Dropped     = core.Dropped
	Evicted     = core.Evicted
	TenantShare = core.TenantShare
	Hopeless    = core.Hopeless
	Expired     = core.Expired
	MaxWait     = core.MaxWait
	Busy        = core.Busy
	Cancelled   = core.Cancelled
	Reasons     = core.Reasons // how many there are
)

// Report is what a run came to.
type Report struct {
	Scenario string
	Seed     uint64
	End      time.Duration // when the last request was done with
	Events   uint64

	Total    Tally
	Kinds    []KindReport
	Calls    []CallReport // of each kind in turn, each before those that it makes
	Stations []StationReport

	Bucket time.Duration // the grain of Series
	Series []Point       // the last may be shorter
}

// KindReport is the tally of one kind of one source.
type KindReport struct {
	Source, Kind string
	Tally
}

// CallReport is the tally of one [Call] of the tree of a kind. What it calls
// requests are those that the asking station made, and their callers are that
// station. One that was not sent, since nothing was left of its deadline, is
// offered and lost without an attempt.
type CallReport struct {
	Source, Kind string
	Call         string // the names from the kind down, with slashes: "pay/bank"
	Station      string // that is asked
	Tally
}

// Tally counts requests and their attempts. A request is good or lost, or open
// when the run was cut short; an attempt is answered, refused or left behind.
type Tally struct {
	Offered uint64 // requests
	Good    uint64 // answered while the caller waited: goodput
	Lost    uint64 // all attempts failed
	Open    uint64 // neither, at the end of the run

	OutOfBudget uint64 // of those lost, with an attempt left that the budget refused

	Attempts uint64          // that left their callers
	Held     uint64          // that did not, for a throttle or a breaker
	Late     uint64          // answered after the caller had left
	GaveUp   uint64          // whose caller's patience ended before an answer
	Refused  [Reasons]uint64 // by reason
	Failed   uint64          // that ended in an error: of a call, of the process

	Worked   time.Duration // by workers on requests
	Wasted   time.Duration // of that, on those answered late
	Refusing time.Duration // by workers on refusals

	Waits     stats.Histogram // from sending an attempt until a worker begins
	Latencies stats.Histogram // from the first attempt until a good answer
}

// RefusedTotal is how many attempts were refused, for whatever reason.
func (t *Tally) RefusedTotal() uint64 {
	n := uint64(0)
	for _, r := range t.Refused {
		n += r
	}
	return n
}

func (t *Tally) merge(o *Tally) {
	t.Offered += o.Offered
	t.Good += o.Good
	t.Lost += o.Lost
	t.Open += o.Open
	t.OutOfBudget += o.OutOfBudget
	t.Attempts += o.Attempts
	t.Held += o.Held
	t.Late += o.Late
	t.GaveUp += o.GaveUp
	for i := range o.Refused {
		t.Refused[i] += o.Refused[i]
	}
	t.Failed += o.Failed
	t.Worked += o.Worked
	t.Wasted += o.Wasted
	t.Refusing += o.Refusing
	t.Waits.Merge(&o.Waits)
	t.Latencies.Merge(&o.Latencies)
}

// StationReport is what a station saw. By Little's law, InSystem is Arrived
// over the length of the run times Sojourn.
type StationReport struct {
	Station  string
	InSystem float64       // the mean number of attempts there
	Arrived  uint64        // attempts
	Restarts uint64        // how often its process was killed
	MostUsed int64         // bytes of memory, at its height
	Sojourn  time.Duration // the mean time that one was there
	Series   []Level       // beside [Report.Series]
}

// Level is a station at the end of a bucket.
type Level struct {
	Limit    int // the gate's; 0: no gate
	InFlight int // admitted and not done, or with a worker
	Depth    int // waiting, for the gate or for a worker
}

// Point is what happened within a bucket, everywhere.
type Point struct {
	Offered, Attempts, Good, Late, Refused, Failed, Held uint64

	Done    uint64        // jobs that workers ended: throughput
	Started uint64        // jobs that workers began
	Waited  time.Duration // by those, together
}

// MeanWait is how long those waited that a worker began within the bucket.
func (p Point) MeanWait() time.Duration {
	if p.Started == 0 {
		return 0
	}
	return p.Waited / time.Duration(p.Started)
}

// Sum adds up the points of buckets that begin in the half-open interval.
func (r *Report) Sum(from, to time.Duration) Point {
	var p Point
	for i, q := range r.Series {
		if at := time.Duration(i) * r.Bucket; at < from || at >= to {
			continue
		}
		p.Offered += q.Offered
		p.Attempts += q.Attempts
		p.Good += q.Good
		p.Late += q.Late
		p.Refused += q.Refused
		p.Held += q.Held
		p.Failed += q.Failed
		p.Done += q.Done
		p.Started += q.Started
		p.Waited += q.Waited
	}
	return p
}
