package cache

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Config bounds a [Cache]. The zero value is a cache of 64 MiB.
type Config struct {
	Bytes       int64 // of everything stored: bodies, headers, keys and bookkeeping; 0: 64 MiB
	Entries     int   // answers stored; 0: 10,000
	ObjectBytes int64 // of one answer; what is longer passes through. 0: 1 MiB, or Bytes if that is less
	Variants    int   // answers stored under one key, by Vary; 0: 8

	// Flight is how long a fetch on behalf of several callers, or of nobody,
	// may take; 0: 30 s. What turns out to be one caller's has that caller's
	// time.
	Flight time.Duration

	// Refreshes is how many stored answers are refreshed at once in the
	// background; 0: 64. Beyond it a stale answer waits for its next request.
	Refreshes int
}

// Validate reports every fault. Negative values are faults; so is an ObjectBytes
// that Bytes does not hold.
func (c Config) Validate() error {
	var faults []error
	for _, v := range []struct {
		name  string
		value int64
	}{
		{"Bytes", c.Bytes}, {"Entries", int64(c.Entries)}, {"ObjectBytes", c.ObjectBytes}, {"Variants", int64(c.Variants)},
		{"Flight", int64(c.Flight)}, {"Refreshes", int64(c.Refreshes)},
	} {
		if v.value < 0 {
			faults = append(faults, fmt.Errorf("cache: %s is %d: give a number from 0", v.name, v.value))
		}
	}
	if d := c.defaults(); c.ObjectBytes > d.Bytes {
		faults = append(faults, fmt.Errorf("cache: ObjectBytes is %d and Bytes %d: an answer has to fit in", c.ObjectBytes, d.Bytes))
	}
	return errors.Join(faults...)
}

func (c Config) defaults() Config {
	set(&c.Bytes, 64<<20)
	set(&c.Entries, 10_000)
	set(&c.ObjectBytes, min(1<<20, c.Bytes))
	set(&c.Variants, 8)
	set(&c.Flight, 30*time.Second)
	set(&c.Refreshes, 64)
	return c
}

func set[T int | int64 | time.Duration](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// Policy is what the cache does for the requests of one route. Its functions
// are called on several goroutines at once.
type Policy struct {
	// Scope sets the keys of this route apart from those of others: it names
	// what its requests are answered by.
	Scope string

	// Key tells requests apart for which the service has different answers by
	// something that is not in the target: X-Forwarded-Proto of callers who are
	// believed, or one who asks without TLS is sent where he is. Nil: nothing.
	Key func(*http.Request) string

	// Forward carries a request on: through the gate, to the service. It has to
	// be there. It is called with a request and a writer of the cache's making,
	// on another goroutine, for any GET or HEAD that could be answered from
	// the store; with those of the caller for all others.
	Forward http.Handler

	// Refresh carries a refresh that nobody waits for, at a lower
	// criticality; nil: Forward does.
	Refresh http.Handler

	// Prepare changes a request that is fetched on behalf of several callers,
	// or of nobody, which is no longer any caller's: it removes from its header
	// what one of them said of himself, first of all his deadline. Nil: it
	// goes as it came.
	Prepare func(*http.Request)

	// Deadline is until when a caller waits, if he says so outside of the
	// request's context; false: he does not. Nil: nobody does.
	Deadline func(*http.Request) (time.Time, bool)

	// Rank is how much a request matters: it waits for no fetch of one that matters
	// less, which would wait longer. A refresh that nobody waits for has 0. Nil:
	// all have.
	Rank func(*http.Request) int

	// Lesser reports whether a request asks for less than others of its target:
	// what is fetched for it is its own, neither stored nor shared, and says
	// nothing of what is stored. Prepare removes what says so. Nil: none does.
	Lesser func(*http.Request) bool

	// Degraded reports whether a stale answer is now to be preferred to asking
	// the service, as far as the answer allows to be stale at all. It is
	// asked when there is one. Nil: never.
	Degraded func(*http.Request) bool

	// Observe is told how every request was answered, once each, as the
	// answer begins, on the request's goroutine. Nil: nobody is told.
	Observe func(*http.Request, Result)

	// StaleWhileRevalidate and StaleIfError are granted to answers that do not
	// say themselves, as far as nothing forbids it (RFC 9111 4.2.4); 0: nothing
	// is.
	StaleWhileRevalidate, StaleIfError time.Duration
}

// fault reports what makes a policy of no use.
func (p *Policy) fault() error {
	switch {
	case p.Forward == nil:
		return errors.New("a policy needs Forward")
	case p.StaleWhileRevalidate < 0 || p.StaleIfError < 0:
		return errors.New("a policy has a negative time to be stale")
	}
	return nil
}
