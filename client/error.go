package client

import (
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/retry"
)

// Reason is why a call has no further attempt, or none at all. Its text is the
// value that metrics carry.
type Reason uint8

// The reasons. The first four keep an attempt from being sent; [NoTime] and
// [CallerLeft] may.
const (
	Throttled     Reason = iota // what is sent is refused, mostly
	BreakerOpen                 // what is sent fails, mostly
	NoPlace                     // too much is in flight
	RateLimited                 // too much is sent, and it would wait for its turn for too long
	NoTime                      // none could begin before the deadline
	CallerLeft                  // the context was cancelled
	NotRepeatable               // doing it twice might do harm
	GivenUp                     // it was retried further down
	Overloaded                  // the destination has too much to do
	ToldNot                     // the destination wants no retry, or none is of use
	NoAttempts                  // there were as many as there may be
	OutOfBudget                 // there are too many retries
	NumReasons    int    = iota
)

var reasonNames = [NumReasons]string{
	"throttled", "breaker_open", "no_place", "rate_limited", "no_time", "caller_left", "not_repeatable", "given_up", "overloaded",
	"told_not", "no_attempts", "out_of_budget",
}

// String returns the name that metrics carry, such as "breaker_open".
func (r Reason) String() string {
	if int(r) < NumReasons {
		return reasonNames[r]
	}
	return "unknown"
}

// stopped are the reasons of package retry, here.
var stopped = map[retry.Reason]Reason{
	retry.NotRepeatable: NotRepeatable, retry.GivenUp: GivenUp, retry.Overloaded: Overloaded, retry.ToldNot: ToldNot,
	retry.NoAttempts: NoAttempts, retry.OutOfBudget: OutOfBudget, retry.NoTime: NoTime,
}

// Error is the error of a call that has not succeeded. It is what the last
// attempt ended with, under errors.Is and errors.As, and says why that was the
// last.
type Error struct {
	Reason Reason
	// Attempts is how many were made.
	Attempts int
	// RetryAfter is when an attempt has a chance again, where the throttle, the
	// breaker or the rate held this one back. Zero: not known.
	RetryAfter time.Duration
	// Err is what the last attempt ended with; where none was made and the
	// caller's time is over, or it has left, what its context says; else nil.
	Err error
}

// Error is for people; programs read the fields.
func (e *Error) Error() string {
	s := fmt.Sprintf("client: %s, after %d attempts", e.Reason, e.Attempts)
	if e.Attempts == 1 {
		s = fmt.Sprintf("client: %s, after 1 attempt", e.Reason)
	}
	if e.RetryAfter > 0 {
		s += fmt.Sprintf(", try again in %s", e.RetryAfter.Round(time.Millisecond))
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// GaveUp reports whether whoever answers with it is to ask its own callers not
// to try again: layers of retries would multiply. It is not where this layer has
// left the retries to others: it may not repeat the call, makes one attempt at most
// or has had time for one.
func (e *Error) GaveUp() bool {
	switch e.Reason {
	case NotRepeatable:
		return false
	case NoAttempts, NoTime:
		return e.Attempts != 1
	}
	return true
}

// Timeout reports whether the last attempt ended for want of time, as net.Error
// has it.
func (e *Error) Timeout() bool {
	var inner interface{ Timeout() bool }
	return errors.As(e.Err, &inner) && inner.Timeout() // context.DeadlineExceeded has it too
}
