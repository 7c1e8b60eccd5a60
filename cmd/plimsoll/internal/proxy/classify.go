package proxy

import (
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// classifier completes what the headers of a route's requests say of them, by
// the route's class.
type classifier struct {
	criticality class.Criticality // of those who claim none. Unset: a hint's, else CRITICAL
	class       config.Class
	stream      bool
	events      *telemetry.Events
}

func newClassifier(r config.Route, c config.Class, events *telemetry.Events) *classifier {
	out := &classifier{criticality: c.Criticality, class: c, stream: r.Stream, events: events}
	if r.Criticality != class.Unset {
		out.criticality = r.Criticality
	}
	return out
}

// classify fills in what a request does not claim.
func (k *classifier) classify(r *http.Request, w *plimsoll.Work) {
	if w.Criticality == class.Unset {
		w.Criticality = k.criticality
	}
	w.Internal = k.class.Internal
	w.Bytes = weigh(r, k.stream)
	w.Stream = w.Stream || k.stream
	if v := first(r.Header, k.class.LevelHeader); v != "" && w.Level == 0 {
		w.Level = class.LevelOf(v, class.Salt(time.Now().Unix()/3600))
	}
	if v := first(r.Header, k.class.TenantHeader); v != "" {
		w.Tenant = v
	}
}

// first is the first value of a header whose name may be empty.
func first(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// onInvalid counts what the headers did not say properly.
func (k *classifier) onInvalid(_ *http.Request, in wire.Incoming) {
	if in.InvalidTimeout {
		k.events.DeadlineInvalid.Add(1)
	}
	if in.InvalidCriticality {
		k.events.CriticalityInvalid.Add(1)
	}
	if in.Signature > wire.Verified {
		k.events.Signature(in.Signature)
	}
	if in.Clamped {
		k.events.Clamped.Add(1)
	}
}
