package retry

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Policy decides whether there is another attempt. The zero value makes three,
// without a pause.
type Policy struct {
	// Attempts is how many there are at most, the first included. Zero:
	// [DefaultAttempts]. One: there are no retries.
	Attempts int
	// Backoff is the pause between two.
	Backoff Backoff
	// MaxPushback is what a server's wish for a pause is cut to. Zero:
	// [DefaultMaxPushback]. Negative: wishes are not heard, other than that there
	// be no retry.
	MaxPushback time.Duration
}

// Defaults of [Policy].
const (
	DefaultAttempts    = 3
	DefaultMaxPushback = 5 * time.Minute
)

// Validate reports every fault at once and changes nothing.
func (p Policy) Validate() error {
	var faults []error
	want := func(ok bool, field, wanted string, got any) {
		if !ok {
			faults = append(faults, fmt.Errorf("retry: %s: want %s, have %v", field, wanted, got))
		}
	}
	want(p.Attempts >= 0, "Attempts", "0 or more", p.Attempts)
	want(p.Backoff.Base >= 0, "Backoff.Base", "a time of 0 or more", p.Backoff.Base)
	want(p.Backoff.Max >= 0, "Backoff.Max", "a time of 0 or more", p.Backoff.Max)
	want(p.Backoff.Jitter.Valid(), "Backoff.Jitter", "FullJitter or NoJitter", uint8(p.Backoff.Jitter))
	return errors.Join(faults...)
}

// Failed is an attempt that has failed, and what is left for another.
type Failed struct {
	// Attempt is its number, from 1.
	Attempt int
	// Repeatable says that doing it twice does no harm: its method is
	// [Idempotent], its caller has said so, or nothing of it was sent.
	Repeatable bool
	// GivenUp says that who answered has retried for its part and has stopped: a
	// further layer of retries would multiply the attempts.
	GivenUp bool
	// Overloaded says that the answer is marked as a refusal for overload, which
	// a retry at the same place would make worse; Elsewhere that the next attempt
	// goes to another place.
	Overloaded, Elsewhere bool
	// Pushback is the pause that the server has asked for; negative: it wants no
	// retry at all. Zero: it has said nothing.
	Pushback time.Duration
	// Deadline is when the caller stops waiting, and Need what an attempt takes
	// at the least: one that could not end in time is not begun. [class.Forever]
	// is no deadline. Need may be 0.
	Deadline, Need time.Duration
}

// Reason is why there is another attempt, or none.
type Reason uint8

// The reasons.
const (
	Again         Reason = iota // there is another attempt
	NotRepeatable               // doing it twice might do harm
	GivenUp                     // an inner layer has retried already
	Overloaded                  // the only place to send it has too much to do
	ToldNot                     // the server wants no retry
	NoAttempts                  // it was the last that the policy allows
	OutOfBudget                 // the destination has had its share of retries
	NoTime                      // the next could not begin, or end, before the deadline
	reasons
)

var reasonNames = [reasons]string{
	"again", "not_repeatable", "given_up", "overloaded", "told_not", "no_attempts", "out_of_budget", "no_time",
}

// String returns the reason as metrics and errors have it.
func (r Reason) String() string {
	if r < reasons {
		return reasonNames[r]
	}
	return "unknown"
}

// Next decides what follows a failed attempt: [Again] after the wait, which the
// budget has then counted, or the reason why nothing does. Nothing is waited for
// in vain: that the wait would end too late is known before it begins. A nil
// budget has no bound. It draws from r only where there may be another attempt.
func (p *Policy) Next(now time.Duration, f Failed, b *Budget, r *rand.Rand) (wait time.Duration, why Reason) {
	if why := p.stops(f); why != Again {
		return 0, why
	}
	if b != nil && !b.covers(now) {
		b.refused++
		return 0, OutOfBudget
	}
	wait = p.Backoff.AtLeast(f.Attempt, p.heard(f.Pushback), r)
	if left := class.Until(now, f.Deadline); left != class.Forever && class.Left(left, wait, f.Need) == 0 {
		return 0, NoTime
	}
	if b != nil {
		b.recent.Count(now, retries)
	}
	return wait, Again
}

// stops is why there is no other attempt, whatever the time and the budget.
func (p *Policy) stops(f Failed) Reason {
	switch {
	case !f.Repeatable:
		return NotRepeatable
	case f.GivenUp:
		return GivenUp
	case f.Overloaded && !f.Elsewhere:
		return Overloaded
	case f.Pushback < 0:
		return ToldNot
	case f.Attempt >= p.MostAttempts():
		return NoAttempts
	}
	return Again
}

// MostAttempts is how many attempts there may be, the default filled in.
func (p *Policy) MostAttempts() int {
	if p.Attempts == 0 {
		return DefaultAttempts
	}
	return p.Attempts
}

// heard is how much of a server's wish counts.
func (p *Policy) heard(pushback time.Duration) time.Duration {
	switch {
	case p.MaxPushback < 0:
		return 0
	case p.MaxPushback == 0:
		return min(pushback, DefaultMaxPushback)
	}
	return min(pushback, p.MaxPushback)
}
