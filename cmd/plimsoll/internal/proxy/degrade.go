package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// fallback is what a tier does to the requests of a route that are admitted.
type fallback struct {
	tier   string
	path   string       // "": their own
	to     *backend     // nil: the route's
	wire   *wire.Config // how that is told what is left; nil: as the route's is
	answer *ownAnswer   // given instead of asking anybody; nil: somebody is asked
	stale  bool         // the cache may answer
}

// fallbacks makes those of a route, in the order of the ladder.
func (n *next) fallbacks(r config.Route, keys *wire.Keyring) ([]fallback, error) {
	c := &n.table.config
	var out []fallback
	g := c.Gates[slices.IndexFunc(c.Gates, func(g config.Gate) bool { return g.Name == r.Gate })]
	for _, t := range g.Ladder.Tiers {
		i := slices.IndexFunc(r.Degrade, func(f config.Fallback) bool { return f.Tier == t.Name })
		if i < 0 {
			continue
		}
		f := r.Degrade[i]
		made := fallback{tier: f.Tier, path: f.Path, stale: f.Stale}
		if f.Upstream != "" && f.Upstream != r.Upstream {
			at := slices.IndexFunc(c.Upstreams, func(u config.Upstream) bool { return u.Name == f.Upstream })
			if at < 0 {
				return nil, fmt.Errorf("tier %s: no upstream %q", f.Tier, f.Upstream)
			}
			made.to = n.table.upstreams[at]
			made.wire = &wire.Config{TimeoutHeader: c.TimeoutHeader, Dialects: dialects(c.Upstreams[at].DeadlineHeaders), Keys: keys}
		}
		if f.Answers() {
			text, err := f.Body.Content()
			if err != nil {
				return nil, fmt.Errorf("tier %s: %s: %w", f.Tier, f.Body.File, err)
			}
			made.answer = newOwnAnswer(f.Body, text)
		}
		out = append(out, made)
	}
	return out, nil
}

// moves reports whether it changes anything after the gate.
func (s *fallback) moves() bool { return s.answer != nil || s.to != nil || s.path != "" }

// takes reports whether it changes anything after the gate for a request. An
// answer of the proxy's own is none to gRPC, which would not understand it.
func (s *fallback) takes(r *http.Request) bool {
	return s.moves() && (s.answer == nil || !upstream.IsGRPC(r))
}

// cheaper are the tiers that make an answer of this route a cheaper one than what
// was asked for: those that are active, without those of which all that comes is
// that a stored one is given. What is fetched while these are on is a whole answer,
// and may be stored.
func (f *forwarder) cheaper(d ladder.Decision) []string {
	return slices.DeleteFunc(d.Names(), func(name string) bool {
		return slices.ContainsFunc(f.fallbacks, func(s fallback) bool { return s.tier == name && s.stale && !s.moves() })
	})
}

// degraded tells the service what to leave out, and which of that only so that it
// is tried. What a trusted hop before this one has told goes on with it.
func (f *forwarder) degraded(h http.Header, d ladder.Decision) {
	names := f.cheaper(d)
	if len(names) == 0 {
		return
	}
	var all []string
	for _, line := range h[wire.DegradeHeader] {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
				all = append(all, name)
			}
		}
	}
	h[wire.DegradeHeader] = []string{strings.Join(append(all, names...), ", ")}
	if name := d.Exercise(); slices.Contains(names, name) {
		h[wire.ExerciseHeader] = []string{name}
	}
}

// climb carries a request as its tiers say: by the fallback of the last one that
// is active for it, or in full. Both ways are counted by the gate's ladder, which
// switches off a tier whose fallback fails more often than what it stands for.
func (f *forwarder) climb(r *http.Request, d ladder.Decision, i int) (*http.Response, error) {
	for i >= 0 && !f.fallbacks[i].takes(r) {
		i--
	}
	if i < 0 {
		return f.send(f.to, r, &f.wire, false)
	}
	s := &f.fallbacks[i]
	exercised := d.Exercise() == s.tier
	if exercised && !again(r) {
		return f.climb(r, d, i-1)
	}
	var resp *http.Response
	var err error
	way := func(do func() (*http.Response, error)) func(context.Context) error {
		return func(context.Context) error {
			if resp != nil { // of a fallback that was exercised, and failed
				upstream.Drop(resp)
			}
			resp, err = do()
			return failed(r.Context(), resp, err)
		}
	}
	turned := ladder.Do(r.Context(), s.tier,
		way(func() (*http.Response, error) { return f.climb(r, d, i-1) }),
		way(func() (*http.Response, error) { return f.instead(s, r, exercised) }))
	if resp == nil && err == nil {
		err = turned // nobody was asked: ladder.ErrFull
	}
	return resp, err
}

// again reports whether a request can be sent a second time, to another place,
// after its fallback has failed: it only reads, and has no body.
func again(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (r.Body == nil || r.Body == http.NoBody) && r.Header["Upgrade"] == nil
}

// errFailed is an answer that counts as a failure of its way.
var errFailed = errors.New("the service failed")

// failed says whether a way failed; a caller that left has not failed it.
func failed(ctx context.Context, resp *http.Response, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case err != nil:
		return err
	case resp.StatusCode >= http.StatusInternalServerError:
		return errFailed
	}
	return nil
}

// instead takes a fallback.
func (f *forwarder) instead(s *fallback, r *http.Request, exercised bool) (*http.Response, error) {
	if s.answer != nil {
		if r.Body != nil {
			_ = r.Body.Close() // nobody reads it
		}
		return s.answer.response(r), nil
	}
	out := r.WithContext(r.Context())
	if s.path != "" {
		out.URL = withPath(r.URL, s.path)
	}
	to, told := f.to, &f.wire
	if s.to != nil {
		to, told = s.to, s.wire
		left, ok := f.budget(r.Context())
		if !ok {
			left = class.Forever
		}
		out.Header = r.Header.Clone()
		told.Write(out.Header, wire.From(r.Context()), left)
	}
	return f.send(to, out, told, exercised)
}

// withPath is a URL with another path; a * at its end stands for its own.
func withPath(u *url.URL, path string) *url.URL {
	out := *u
	before, all := strings.CutSuffix(path, "*")
	if !all {
		out.Path, out.RawPath = path, ""
		return &out
	}
	before = strings.TrimSuffix(before, "/")
	out.Path = before + u.Path
	if u.RawPath != "" {
		out.RawPath = before + u.RawPath
	}
	return &out
}

// ownAnswer is one that the proxy gives itself.
type ownAnswer struct {
	status int
	kind   []string
	text   string
	length []string
}

func newOwnAnswer(b config.Body, text []byte) *ownAnswer {
	return &ownAnswer{status: b.Status, kind: []string{b.Type}, text: string(text), length: []string{fmt.Sprint(len(text))}}
}

// notStored is for answers that stand for others for the time being.
var notStored = []string{"no-store"}

// header fills in that of the answer.
func (a *ownAnswer) header(h http.Header, tier string) {
	h["Cache-Control"] = notStored
	if a.text != "" {
		h["Content-Type"] = a.kind
		h["Content-Length"] = a.length
	}
	if tier != "" {
		h[wire.DegradedHeader] = []string{tier}
	}
}

// write gives it to a caller before the gate is asked.
func (a *ownAnswer) write(w http.ResponseWriter, r *http.Request, tier string) {
	a.header(w.Header(), tier)
	w.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, a.text) // only a caller that left makes it fail
	}
}

// response is it as a service would have given it.
func (a *ownAnswer) response(r *http.Request) *http.Response {
	h := http.Header{}
	a.header(h, "")
	body := io.ReadCloser(http.NoBody)
	if a.text != "" && r.Method != http.MethodHead {
		body = io.NopCloser(strings.NewReader(a.text))
	}
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: body, ContentLength: int64(len(a.text)), Request: r,
	}
}

// send sends a request to an upstream, and holds it to its budget: half of it
// where it is only tried, so that there is time for the full way.
func (f *forwarder) send(to *backend, r *http.Request, told *wire.Config, tried bool) (*http.Response, error) {
	left, ok := f.budget(r.Context())
	switch {
	case !ok:
		left = 0
	case tried:
		left = max(left/2, time.Millisecond)
	case f.hopMargin == 0:
		left = 0 // its context alone bounds it
	}
	if to.caller != nil {
		return to.caller.Do(r, left, told)
	}
	return to.Do(r, left)
}
