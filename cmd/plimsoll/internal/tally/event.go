// Package tally counts what becomes of the requests of a load while it runs.
//
// A [Tally] hears of a request when it is due ([Tally.Offered]), then either that
// it could not be sent ([Tally.Skip]) or how each of its attempts ended
// ([Tally.Attempt]) and how it ended itself ([Tally.End]). [Tally.Live] is what is
// known by now, [Tally.Result] what it came to. What it holds is bounded by the
// planned length of the run, not by the number of requests: for an hour of
// 20,000 requests a second some tens of megabytes at most.
//
// A time is recorded once per request, under the second that the request was
// due in, when it has ended: one that is held up for 15 s counts with 15 s and
// more, in the second of its due time, and the requests that were due meanwhile
// count with theirs. Nothing is left out because it was slow.
package tally

import (
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// Request is how one logical request ended. Times are from the start of the run.
type Request struct {
	Class   int // its index
	Due     time.Duration
	Sent    time.Duration // its first attempt
	Last    time.Duration // its last attempt was sent
	Done    time.Duration // its caller had its answer, or hung up
	Outcome openloop.Outcome
	Reason  string // of what was refused or failed
}
