package class

import (
	"math"
	"time"
)

// Forever is the remaining time of work that has no deadline. It stays Forever
// in all arithmetic here.
const Forever = time.Duration(math.MaxInt64)

// Left returns what is left of a remaining time after elapsed has passed and
// margin is set aside for the way back, and 0 where nothing is: the deadline
// has then passed. It is what a hop passes on to the next: never more than it
// was given. A negative elapsed counts as no time passed, a negative margin as
// none; [Forever] stays.
func Left(remaining, elapsed, margin time.Duration) time.Duration {
	if remaining == Forever {
		return Forever
	}
	// One subtraction at a time, each of a number that is 0 or more from one
	// that is: neither can overflow.
	left := max(remaining, 0) - max(elapsed, 0)
	return max(max(left, 0)-max(margin, 0), 0)
}

// At returns the instant, on the clock that now was read from, at which a
// remaining time ends: now + remaining, or [Forever] where that cannot be
// expressed. What has no time left ends now.
func At(now, remaining time.Duration) time.Duration {
	remaining = max(remaining, 0)
	if remaining > Forever-max(now, 0) || remaining == Forever {
		return Forever
	}
	return now + remaining
}

// Until is the inverse of [At]: what is left at now until an instant, 0 where
// that has passed, and [Forever] where it never comes.
func Until(now, at time.Duration) time.Duration {
	switch {
	case at == Forever:
		return Forever
	case at <= now:
		return 0
	case now < 0 && at > Forever+now:
		return Forever
	}
	return at - now
}

// Clamp returns remaining, no more than most and no less than 0. A most that
// is not positive is no bound.
func Clamp(remaining, most time.Duration) time.Duration {
	if most > 0 {
		remaining = min(remaining, most)
	}
	return max(remaining, 0)
}

// Units returns n units, saturating at [Forever]: the way from a number on the
// wire, which may be large, to a duration that has not wrapped into the past.
// It is 0 where n is negative. Unit must be positive.
func Units(n int64, unit time.Duration) time.Duration {
	if n <= 0 {
		return 0
	}
	if n > int64(Forever/unit) {
		return Forever
	}
	return time.Duration(n) * unit
}
