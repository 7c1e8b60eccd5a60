package proxy

import (
	"io"
	"net/http"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// degrading is what a route's tiers do before the gate is asked.
type degrading struct {
	gate      *plimsoll.Gate
	fallbacks []fallback
	counts    *telemetry.Route
}

// aheadOf is a function that [httpgate.Config.Ahead] takes.
type aheadOf func(http.ResponseWriter, *http.Request, io.Reader, httpgate.Ahead) bool

// ahead answers the requests for which a tier is on that has an answer of the
// proxy's own: that takes no slot. Those that would go to another upstream are no
// matter of the breaker, which is the route's own upstream's. Requests that only
// try a tier out are seen to when they are admitted.
func (d *degrading) ahead(breaker aheadOf) aheadOf {
	at := false
	for i := range d.fallbacks {
		at = at || d.fallbacks[i].answer != nil || breaker != nil && d.fallbacks[i].to != nil
	}
	if !at {
		return breaker
	}
	return func(w http.ResponseWriter, r *http.Request, body io.Reader, what httpgate.Ahead) bool {
		s := d.standing(r, what.Criticality)
		switch {
		case s != nil && s.answer != nil:
			d.counts.Answered(what.Criticality, what.Attempt, s.tier, s.answer.status)
			leaveBody(w, r, body)
			s.answer.write(w, r, s.tier)
			return false
		case breaker == nil || s != nil && s.to != nil:
			return true
		}
		return breaker(w, r, body, what)
	}
}

// standing is the fallback of the last tier that is on for a request of a
// criticality; nil: there is none.
func (d *degrading) standing(r *http.Request, c class.Criticality) *fallback {
	now := d.gate.Decide(c)
	if now.Rung() == 0 {
		return nil
	}
	for i := len(d.fallbacks) - 1; i >= 0; i-- {
		s := &d.fallbacks[i]
		if s.takes(r) && now.Active(s.tier) && now.Exercise() != s.tier {
			return s
		}
	}
	return nil
}

// stale reports whether a request is to be given a stored answer that is no
// longer fresh, as far as that may be: a tier that says so is on for it, or it is
// one of those on which that is tried out.
func (d *degrading) stale(r *http.Request, as *httpgate.Config) bool {
	at := false
	for i := range d.fallbacks {
		at = at || d.fallbacks[i].stale
	}
	if !at {
		return false
	}
	now := d.gate.Decide(criticalityOf(r, as))
	if now.Tiers == 0 {
		return false
	}
	for i := range d.fallbacks {
		if s := &d.fallbacks[i]; s.stale && now.Active(s.tier) {
			return true
		}
	}
	return false
}

// criticalityOf is what a request counts as, before it comes to the gate.
func criticalityOf(r *http.Request, as *httpgate.Config) class.Criticality {
	in := as.Wire.Read(r.Header)
	w := plimsoll.Work{Criticality: wire.From(r.Context()).Criticality}
	if w.Criticality == class.Unset && !in.Hint {
		w.Criticality = in.Criticality
	}
	if as.Classify != nil {
		as.Classify(r, &w)
	}
	if w.Criticality == class.Unset {
		w.Criticality = in.Criticality
	}
	return w.Criticality.OrDefault()
}
