package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Report is what a run came to.
type Report struct {
	Scenario string
	Seed     uint64
	Length   time.Duration // nothing new arrived at or after it
	End      time.Duration // when the last request was done with
	Events   uint64

	Total Tally
	Kinds []KindReport
	// Classes is by criticality, each at its own index. What nobody has said
	// anything about is apart at class.Unset, although the gate takes it for
	// class.Critical.
	Classes [class.Count + 1]Tally
	// Tenants is by tenant, in the order in which their first requests
	// arrived. What is nobody's is not among them.
	Tenants  []TenantReport
	Calls    []CallReport // of each kind in turn, each before those that it makes
	Stations []StationReport

	Bucket time.Duration // the grain of Series
	Series []Point       // everywhere; the last may be shorter
}

// KindReport is the tally of one kind of one source.
type KindReport struct {
	Source, Kind string
	Tally
	Series []Point // beside [Report.Series], whose points are their sums
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

// TenantReport is the counts of one tenant.
type TenantReport struct {
	Tenant string
	Counts
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

	// Transitions are the tiers of its gate that went on or off, in order.
	Transitions []Transition
}

// Recovered is how long after a time goodput was back: from then until the
// first bucket begins which has the given share, and from which on the mean
// has it up to the end of the scenario's length. The share is of so many
// requests a second; of 0: of what was offered in the same buckets. False: it
// was not back in any bucket that ends within the length.
func (r *Report) Recovered(after time.Duration, share, of float64) (time.Duration, bool) {
	back, ok := time.Duration(0), false
	good, want := 0.0, 0.0
	for i := min(len(r.Series), int(r.Length/r.Bucket)) - 1; i >= 0; i-- {
		at := time.Duration(i) * r.Bucket
		if at < after {
			break
		}
		p := &r.Series[i]
		need := float64(share * float64(p.Offered))
		if of > 0 {
			need = float64(float64(share*of) * r.Bucket.Seconds())
		}
		good, want = good+float64(p.Good), want+need
		if float64(p.Good) >= need && good >= want {
			back, ok = at-after, true
		}
	}
	return back, ok
}
