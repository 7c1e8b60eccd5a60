package sim

import (
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// Breaker holds back the attempts of a kind's callers while those sent fail. An
// attempt fails when its caller's patience ends, or with an error. A refusal
// says that the station lives and has too much to do: it is no failure, nor is
// it a success.
type Breaker = breaker.Config

// verdict is what an attempt's end says of its station's health. A refusal, and
// what its caller did not wait for, say nothing.
func verdict(o core.Outcome) breaker.Verdict {
	switch o {
	case core.Success:
		return breaker.Success
	case core.Failed, core.TimedOut:
		return breaker.Failure
	}
	return breaker.Ignored
}
