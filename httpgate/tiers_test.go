package httpgate_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
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
