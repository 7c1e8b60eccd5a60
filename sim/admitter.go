package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Admitter rules on admission in a gate's place: the policy of somebody else,
// which no [Gate] can be configured to. What it admits waits for a worker in the
// order of arrival. It belongs to one run; nobody else may use it.
type Admitter interface {
	// Arrive rules on a request.
	Arrive(View, Request) Admission
	// Room says whether the first of those that wait may come in. It is asked
	// whenever a request has ended while somebody waits.
	Room(View) bool
	// Begin is a worker that is free for a request; false drops it there, as a
	// queue does that judges by the time waited.
	Begin(v View, r Request, waited time.Duration) bool
	// End is a request that a worker has ended.
	End(View, Request, Served)
	// Limit is how many it lets in at once; 0: no such number.
	Limit() int
}

// Turner is an [Admitter] that also turns the order of the workers' queue.
type Turner interface {
	// NewestFirst says whether who is admitted now goes before all that wait for
	// a worker.
	NewestFirst() bool
}

// View is what an [Admitter] can see of its station.
type View struct {
	Now      time.Duration
	InFlight int // admitted and not ended, the one that this is about included where it was admitted
	Waiting  int // for admission
	Busy     int // workers that serve: the ideal signal of a processor's load
	Workers  int // that there are
}

// Request is what an [Admitter] is told of a request.
type Request struct {
	Number uint64 // of the request, or of the one that a call is made for: stands for whoever sent it
	Rank   class.Rank
	Sent   time.Duration // when it came
	Late   time.Duration // when it is too late for it
}

// Served is how a request went that an [Admitter] had admitted.
type Served struct {
	Admitted time.Duration // when
	InFlight int           // then, itself included
}

// Admission is how an [Admitter] rules.
type Admission uint8

// The rulings.
const (
	Refuse Admission = iota
	Admit
	Wait
)
