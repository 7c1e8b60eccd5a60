package core

// Reason says why an arrival was refused. The zero value is no refusal.
type Reason uint8

// The reasons.
const (
	None        Reason = iota // not refused
	QueueFull                 // no place in the queue, and nobody of a lower rank to evict
	Dropped                   // the same under the policy that drops the newest
	Evicted                   // gave its place up to work of a higher rank, or to a newer arrival under drop-oldest
	TenantShare               // gave its place up to a tenant that held far fewer
	Hopeless                  // would finish too late, by prediction on arrival or when its turn came
	Expired                   // its deadline had passed
	MaxWait                   // waited for as long as the gate lets anybody wait
	Busy                      // no slot was free and the caller, or the gate, does not wait
	Streams                   // no place for another long-lived stream
	Draining                  // the gate takes no new work
	Recovering                // dropped with the dead backlog
	Cancelled                 // its caller left the queue
	CoDel                     // given up so that a standing queue drains
	DeadLetter                // waited for so long that it is to be set aside
	Reasons                   // how many there are
)

var reasonNames = [Reasons]string{
	"none", "queue_full", "dropped", "evicted", "tenant_share", "hopeless", "expired",
	"max_wait", "busy", "streams", "draining", "recovering", "cancelled",
	"codel", "dead_letter",
}

// String returns the name that metrics carry.
func (r Reason) String() string {
	if r < Reasons {
		return reasonNames[r]
	}
	return "invalid"
}

// wanted reports whether a free slot would have helped.
func (r Reason) wanted() bool {
	switch r {
	case QueueFull, Dropped, Evicted, TenantShare, Hopeless, MaxWait, Busy, CoDel, DeadLetter:
		return true
	}
	return false
}

// Outcome says how admitted work ended.
type Outcome uint8

// The outcomes.
const (
	Success    Outcome = iota // answered; late when the deadline had passed
	Failed                    // the work's own error
	TimedOut                  // its deadline passed while it ran
	Overloaded                // the backend said that it is overloaded
	Abandoned                 // its caller left while it ran
	Ignored                   // health checks and control traffic: in no sample
	Outcomes                  // how many there are
)

var outcomeNames = [Outcomes]string{"success", "failed", "timed_out", "overloaded", "abandoned", "ignored"}

// String returns the name that metrics carry.
func (o Outcome) String() string {
	if o < Outcomes {
		return outcomeNames[o]
	}
	return "invalid"
}
