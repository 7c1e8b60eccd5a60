package mix

import "github.com/plimsoll-go/plimsoll/retry"

// Retry is what the callers of a class do when an attempt was refused or failed.
// The zero value gives up at once.
type Retry struct {
	Attempts int           // in all; 0 and 1: no retries
	Backoff  retry.Backoff // zero: at once
	Budget   float64       // retries are at most this share of the requests of the class; 0: no budget
	Heed     bool          // wait as long as the service asks (Retry-After and its kin)
}
