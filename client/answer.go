package client

import (
	"context"
	"errors"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
)

// Answer is what the error of an attempt means.
type Answer struct {
	// Verdict is what it says of the health of the destination.
	Verdict breaker.Verdict
	// Overloaded says that the destination refused as it has too much to do.
	// It is then sent no further attempt of the same call, unless it has asked
	// for one by a Pushback: that is when it expects to have room.
	Overloaded bool
	// Refused says that the destination did not take it on, and did not say that
	// it has too much to do: an answer 429 without a time, say. Another attempt
	// may be made.
	Refused bool
	// GivenUp says that it was retried further down, and is not to be retried
	// here.
	GivenUp bool
	// Unsent says that nothing reached the destination, so that another attempt
	// does no harm, whatever the operation.
	Unsent bool
	// Pushback is the pause that the destination has asked for. Negative, as
	// [retry.NoRetry]: another attempt is of no use. Zero: it has said nothing.
	Pushback time.Duration
}

// Classify is what an error means. One that says so itself, by a method
// Answer() Answer, is believed, and so is a refusal of a gate in this process: it
// has a method Overloaded() (retryAfter time.Duration, overloaded bool), and says
// when to come back. Of others, nothing more is known: no error, and the
// destination is well; an [Error] of a client further down has been retried
// there, and says nothing of the destination; a cancelled attempt says nothing
// either; anything else is a failure, the end of an attempt's time among it.
func Classify(err error) Answer {
	if err == nil { // apart, as what follows allocates
		return Answer{Verdict: breaker.Success}
	}
	var inner *Error
	var says interface{ Answer() Answer }
	var refusal interface{ Overloaded() (time.Duration, bool) }
	switch {
	case errors.As(err, &inner):
		return Answer{Verdict: breaker.Ignored, GivenUp: true}
	case errors.As(err, &says):
		return says.Answer()
	case errors.As(err, &refusal):
		if after, overloaded := refusal.Overloaded(); overloaded {
			return Answer{Verdict: breaker.Ignored, Overloaded: true, Pushback: max(after, 0)}
		}
	}
	if errors.Is(err, context.Canceled) {
		return Answer{Verdict: breaker.Ignored}
	}
	return Answer{Verdict: breaker.Failure}
}

// unseen reports whether the destination has neither seen the attempt nor kept it
// away: it was not sent, for reasons of this side.
func (a Answer) unseen() bool {
	return a.Unsent && a.Verdict == breaker.Ignored && !a.Overloaded && !a.Refused
}

// accepted reports whether the destination took the attempt on, as far as can
// be told: a caller who left was not refused.
func (a Answer) accepted() bool {
	return a.Verdict == breaker.Success || a.Verdict == breaker.Ignored && !a.Overloaded && !a.Refused && !a.GivenUp
}
