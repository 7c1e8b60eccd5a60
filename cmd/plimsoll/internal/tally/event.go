// Package tally counts what becomes of the requests of a load while it runs.
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
	Done    time.Duration
	Outcome openloop.Outcome // of the whole: late when Done is past its deadline
	Reason  string           // of what was refused or failed
}
