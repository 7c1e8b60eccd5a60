package bounds

import (
	"fmt"
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// calls adds what bounds the attempts at a request, where there may be several,
// or none.
func (m *model) calls(hop string, u config.Upstream) {
	key := func(name string) string { return "upstreams." + u.Name + "." + name }
	if r := u.Retries; r.Attempts > 0 {
		m.add(hop, "attempts at a request", key("retries.attempts"), number(r.Attempts, "attempts"), "the caller gets the last answer, marked as given up")
		if r.AttemptTimeout > 0 {
			m.add(hop, "time until the answer to an attempt begins", key("retries.attemptTimeout"), seconds(r.AttemptTimeout), "the attempt has failed")
		}
		m.add(hop, "pause between attempts", key("retries.maxBackoff"), seconds(r.MaxBackoff), "who asks for a longer one is not asked again")
		v := value{text: fmt.Sprintf("%s of the requests of 10s, and %d a second", r.Budget, r.Reserve)}
		m.add(hop, "retries", key("retries.budget"), v, "there is no further attempt: the caller gets the last answer")
		m.add(hop, "body kept for another attempt", key("retries.bodies"), size(r.Bodies), "it passes through, and is sent once")
	}
	if b := u.Breaker; b.Open > 0 {
		m.add(hop, "failures in a row", key("breaker.consecutive"), orNone(b.Consecutive, "failures"), "503 at once, for as long as the breaker is open")
		m.add(hop, "time that the breaker is open", key("breaker.open"), seconds(b.Open), "a few requests are sent, as probes")
		m.add(hop, "probes", key("breaker.probes"), number(b.Probes, "requests"), "503 at once, until they have ended")
	}
	if t := u.Throttle; t.K > 0 {
		v := value{most: &t.K, unit: "requests", text: strconv.FormatFloat(t.K, 'g', -1, 64)}
		m.add(hop, "requests for each that is accepted", key("throttle.k"), v, "503 at once, by chance")
	}
}

// longestTo is the most time that any caller of an upstream may have; false:
// there is no bound, or no route leads there.
func (m *model) longestTo(upstream string) (most time.Duration, bounded bool) {
	for _, r := range m.to(upstream) {
		d, ok := m.longest(r)
		if !ok || r.Stream {
			return 0, false
		}
		most, bounded = max(most, d), true
	}
	return most, bounded
}

// retriesNever finds retries of which the budget allows none.
func (m *model) retriesNever(warn func(key, format string, args ...any)) {
	for _, u := range m.config.Upstreams {
		if r := u.Retries; r.Attempts > 0 && r.Budget == 0 && r.Reserve == 0 {
			warn("upstreams."+u.Name+".retries.budget", "nothing is sent to upstream %s again: the budget is %s, and the reserve 0", u.Name, r.Budget)
		}
	}
}

// attemptsOutOfTime finds attempts that would not begin within anybody's time,
// were those before them to use all of theirs.
func (m *model) attemptsOutOfTime(warn func(key, format string, args ...any)) {
	for _, u := range m.config.Upstreams {
		r, key := u.Retries, "upstreams."+u.Name+".retries.attemptTimeout"
		most, bounded := m.longestTo(u.Name)
		if r.AttemptTimeout <= 0 || !bounded {
			continue
		}
		switch n := int((most + r.AttemptTimeout - 1) / r.AttemptTimeout); {
		case n <= 1:
			warn(key, "an attempt at upstream %s never waits for %s: no route to it has more than %s", u.Name, r.AttemptTimeout, most)
		case n < r.Attempts:
			warn(key, "of attempts at upstream %s that wait for %s each, no more than %d of %d begin: no route to it has more than %s", u.Name, r.AttemptTimeout, n, r.Attempts, most)
		}
	}
}

// hangsUnseen finds breakers that no hang of the service ever opens, since
// every request's time ends before it counts.
func (m *model) hangsUnseen(warn func(key, format string, args ...any)) {
	for _, u := range m.config.Upstreams {
		b := u.Breaker
		most, bounded := m.longestTo(u.Name)
		if b.Open == 0 || !bounded {
			continue
		}
		attempt := most
		if t := u.Retries.AttemptTimeout; t > 0 {
			attempt = min(attempt, t)
		}
		slow := b.Slow > 0 && b.Slow < attempt
		if b.Slow > 0 && !slow {
			warn("upstreams."+u.Name+".breaker.slow", "no attempt at upstream %s takes longer than %s: none has more than %s", u.Name, b.Slow, attempt)
		}
		timesOut := attempt < most && b.Causes.Has(config.TimedOut)
		if !slow && !timesOut && b.Hang > most {
			warn("upstreams."+u.Name+".breaker.hang", "a hang of upstream %s never opens its breaker: a caller who waits in vain counts after %s, and no route to it has more than %s", u.Name, b.Hang, most)
		}
	}
}
