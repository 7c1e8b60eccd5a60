package httpgate

import (
	"net/http"
	"sync"

	"github.com/plimsoll-go/plimsoll"
)

// Handler returns next behind g, with the zero [Config]. It panics if either is
// nil.
func Handler(g *plimsoll.Gate, next http.Handler) http.Handler {
	return Config{}.Handler(g, next)
}

// Handler returns next behind g. Several handlers may share a gate. It panics
// if g or next is nil or the configuration is not valid, as [Config.Validate]
// says.
func (c Config) Handler(g *plimsoll.Gate, next http.Handler) http.Handler {
	if g == nil || next == nil {
		panic("httpgate: Handler needs a gate and a handler")
	}
	if err := c.Validate(); err != nil {
		panic(err.Error())
	}
	load := c.Load
	if load == nil {
		load = NewLoad(g)
	}
	return &handler{
		gate:    g,
		next:    next,
		cfg:     c,
		exempt:  newPathSet(c.Exempt),
		streams: newPathSet(c.Streams),
		answers: prepareAnswers(c.statusFull()),
		backoff: prepareBackoff(c.maxRetryAfter()),
		load:    load,
		always:  c.always(),
		works:   sync.Pool{New: func() any { return new(plimsoll.Work) }},
		buffers: sync.Pool{New: func() any { return new([maxDrained / 2]byte) }},
	}
}

type handler struct {
	gate    *plimsoll.Gate
	next    http.Handler
	cfg     Config
	exempt  pathSet
	streams pathSet
	answers [plimsoll.NumReasons]answer
	backoff backoff
	timers  timers
	load    *Load
	always  wants
	works   sync.Pool // of *plimsoll.Work, lent to Classify
	buffers sync.Pool // of arrays that what is left of refused bodies is read into
}

// ServeHTTP asks the gate, and either answers a refusal or runs the handler
// and tells the gate how it ended.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.exempt.has(r.URL) || h.cfg.ExemptFunc != nil && h.cfg.ExemptFunc(r) {
		h.next.ServeHTTP(w, r)
		return
	}
	a := h.arrive(r)
	h.arrived(r, &a)
	if a.body = r.Body; h.cfg.Await != nil && hasBody(r) {
		ok := false
		if a.body, ok = h.cfg.Await(w, r, a.work.Deadline); !ok {
			h.left(a.mark, 0)
			return
		}
	}
	if h.cfg.Ahead != nil && !h.cfg.Ahead(w, r, a.body, Ahead{a.work.Criticality, a.attempt}) {
		h.left(a.mark, 0)
		return
	}
	ticket, err := h.gate.Acquire(r.Context(), a.work)
	if err != nil {
		ref := err.(*plimsoll.Refusal) // it is nothing else, by Acquire's contract
		if h.cfg.Observe != nil {
			h.cfg.Observe(r, Ended{Refusal: ref, Criticality: ref.Criticality, Attempt: a.attempt, Status: h.answers[ref.Reason].status})
		}
		h.left(a.mark, 0)
		h.refuse(w, r, a.body, ref, a.wants)
		return
	}
	e := newExchange(h, w, r, &a, ticket)
	defer e.finish(h)
	h.next.ServeHTTP(e.writer(), e.inner)
	e.returned = true
}

// hasBody reports whether a request has a body, even if it is not known yet
// whether that is empty.
func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }
