package httpgate_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// TestTiers: a handler is told by its context what to leave out, with a deadline
// and without, and what it runs by ladder.Do is counted.
func TestTiers(t *testing.T) {
	g, err := plimsoll.New(plimsoll.Config{Ladder: &ladder.Config{
		Tiers: []ladder.Tier{{Name: "reviews", On: 200e6}, {Name: "images", On: 300e6}}, NoExercise: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	h := httpgate.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = strings.Join(ladder.From(r.Context()).Names(), " ")
		_ = ladder.Do(r.Context(), "images", nothing, nil)
	}))
	for _, tc := range []struct {
		mode   ladder.Mode
		header string
		want   string
	}{
		{ladder.On, "", "images"}, {ladder.On, "1000m", "images"}, {ladder.Off, "", ""},
	} {
		if err := g.Override("images", tc.mode); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		if tc.header != "" {
			r.Header.Set("grpc-timeout", tc.header)
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
		if got != tc.want {
			t.Errorf("%v, %q: the handler is to leave out %q, want %q", tc.mode, tc.header, got, tc.want)
		}
	}
	if w := g.Snapshot().Ladder.Tiers[1].Work; w.Cheaper.Calls != 2 || w.Full.Calls != 1 {
		t.Errorf("%+v", w)
	}
	if s := g.Snapshot(); s.InFlight != 0 || s.Depth != 0 {
		t.Errorf("not at rest: %+v", s)
	}
}

func nothing(context.Context) error { return nil }

// TestAhead: what is answered ahead of the gate needs no slot, by what the gate
// would have it answered with, and who observes is told what an admitted request
// was degraded to.
func TestAhead(t *testing.T) {
	g, err := plimsoll.New(plimsoll.Config{Ladder: &ladder.Config{
		Tiers: []ladder.Tier{{Name: "reviews", On: 200e6, Spare: []class.Criticality{class.CriticalPlus}}}, NoExercise: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	var ended []httpgate.Ended
	c := httpgate.Config{
		Ahead: func(w http.ResponseWriter, _ *http.Request, _ io.Reader, what httpgate.Ahead) bool {
			if g.Decide(what.Criticality).Active("reviews") {
				w.WriteHeader(http.StatusNoContent)
				return false
			}
			return true
		},
		Observe: func(_ *http.Request, e httpgate.Ended) { ended = append(ended, e) },
	}
	c.Wire.Trusted = true
	h := c.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.Override("reviews", ladder.On); err != nil { // while it runs: it keeps what it was given
			t.Error(err)
		}
	}))
	ask := func(criticality string) int {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Request-Criticality", criticality)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for _, tc := range []struct {
		criticality string
		want, asked int
	}{{"CRITICAL", 200, 1}, {"CRITICAL", 204, 1}, {"CRITICAL_PLUS", 200, 2}} {
		if have := ask(tc.criticality); have != tc.want || len(ended) != tc.asked {
			t.Errorf("%s: %d, the gate was asked %d times; want %+v", tc.criticality, have, len(ended), tc)
		}
	}
	if ended[0].Degraded.Rung() != 0 {
		t.Errorf("%+v", ended[0])
	}
	c.Ahead = nil
	h = c.Handler(g, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if ask("CRITICAL"); ended[2].Degraded.Rung() != 1 {
		t.Errorf("%+v", ended[2])
	}
	if s := g.Snapshot(); s.InFlight != 0 || s.Depth != 0 {
		t.Errorf("not at rest: %+v", s)
	}
}
