package scenario

import (
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

var clientKeys = []field[sim.Client]{
	{"patience", "Patience", func(r *reader, v strict.Value, c *sim.Client) { r.patience(v, c) }},
	{"deadline", "Deadline", func(r *reader, v strict.Value, c *sim.Client) { r.deadline(v, &c.Deadline) }},
	{"hangup", "Hangup", func(r *reader, v strict.Value, c *sim.Client) { r.Truth(v, &c.Hangup) }},
	{"attempts", "Attempts", func(r *reader, v strict.Value, c *sim.Client) { r.count(v, &c.Attempts) }},
	{"backoff", "Backoff", func(r *reader, v strict.Value, c *sim.Client) { r.duration(v, &c.Backoff) }},
	{"max-backoff", "MaxBackoff", func(r *reader, v strict.Value, c *sim.Client) { r.duration(v, &c.MaxBackoff) }},
	{"jitter", "Jitter", func(r *reader, v strict.Value, c *sim.Client) {
		strict.Choice(&r.Reader, v, []string{"full", "none"}, []sim.Jitter{sim.FullJitter, sim.NoJitter}, &c.Jitter)
	}},
	{"honour-retry-after", "", func(r *reader, v strict.Value, c *sim.Client) { r.Truth(v, &c.HonourRetryAfter) }},
	{"heed-given-up", "", func(r *reader, v strict.Value, c *sim.Client) { r.Truth(v, &c.HeedGivenUp) }},
	{"budget", "Budget", func(r *reader, v strict.Value, c *sim.Client) { c.Budget = optional(r, v, budgetKeys) }},
	{"throttle", "Throttle", func(r *reader, v strict.Value, c *sim.Client) { c.Throttle = optional(r, v, throttleKeys) }},
	{"breaker", "Breaker", func(r *reader, v strict.Value, c *sim.Client) { c.Breaker = optional(r, v, breakerKeys) }},
	{"refusals-fail", "RefusalsFail", func(r *reader, v strict.Value, c *sim.Client) { r.Truth(v, &c.RefusalsFail) }},
}

// optional reads what the word none takes away.
func optional[T any](r *reader, v strict.Value, table []field[T]) *T {
	if none(v) {
		return nil
	}
	to := new(T)
	object(r, v, table, to)
	return to
}

// patience reads a time, or the two that it is between.
func (r *reader) patience(v strict.Value, c *sim.Client) {
	if !v.IsList() {
		r.duration(v, &c.Patience)
		return
	}
	var ends []time.Duration
	r.List(v, "times", func(v strict.Value) { ends = append(ends, r.span(v)) })
	if len(ends) != 2 {
		r.Want(v, "one time, or a list of the shortest and the longest")
		return
	}
	r.places[strings.TrimSuffix(r.at, "Patience")+"Most"] = v
	c.Patience, c.Most = ends[0], ends[1]
}

// deadline reads a time, or none: nobody is told.
func (r *reader) deadline(v strict.Value, to *time.Duration) {
	if none(v) {
		*to = -1
		return
	}
	if isFormula(v) {
		r.duration(v, to)
		return
	}
	r.Duration(v, false, to)
}

var budgetKeys = []field[sim.Budget]{
	{"share", "Share", func(r *reader, v strict.Value, b *sim.Budget) {
		if r.share(v, &b.Share); b.Share == 0 {
			b.Share = -1 // none, as it was written out
		}
	}},
	{"reserve", "Reserve", func(r *reader, v strict.Value, b *sim.Budget) { r.number(v, &b.Reserve) }},
}

var throttleKeys = []field[sim.Throttle]{
	{"k", "K", func(r *reader, v strict.Value, t *sim.Throttle) { r.number(v, &t.K) }},
	{"window", "Window", func(r *reader, v strict.Value, t *sim.Throttle) { r.duration(v, &t.Window) }},
}

var breakerKeys = []field[sim.Breaker]{
	{"failures", "Failures", func(r *reader, v strict.Value, b *sim.Breaker) { r.count(v, &b.Failures) }},
	{"share", "Share", func(r *reader, v strict.Value, b *sim.Breaker) { r.share(v, &b.Share) }},
	{"window", "Window", func(r *reader, v strict.Value, b *sim.Breaker) { r.duration(v, &b.Window) }},
	{"samples", "Samples", func(r *reader, v strict.Value, b *sim.Breaker) { r.count(v, &b.Samples) }},
	{"open", "Open", func(r *reader, v strict.Value, b *sim.Breaker) { r.duration(v, &b.Open) }},
	{"probes", "Probes", func(r *reader, v strict.Value, b *sim.Breaker) { r.count(v, &b.Probes) }},
	{"slow", "Slow", func(r *reader, v strict.Value, b *sim.Breaker) { r.duration(v, &b.Slow) }},
	{"slow-share", "SlowShare", func(r *reader, v strict.Value, b *sim.Breaker) { r.share(v, &b.SlowShare) }},
	{"ramp", "Ramp", func(r *reader, v strict.Value, b *sim.Breaker) { r.duration(v, &b.Ramp) }},
}
