package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Fallback is what a tier does to the requests of a route, beside telling the
// service. One of the fields says something, Path and Upstream may do so together,
// Stale with any of them.
type Fallback struct {
	Tier string
	// Path is the path that they are sent with instead; where it ends in a *, this
	// stands for the request's own. Empty: their own.
	Path string
	// Upstream is the name of where they go instead. Empty: where they would.
	Upstream string
	// Body is what they are answered with by the proxy. The zero value: nothing.
	Body Body
	// Stale has a stored answer given that is no longer fresh, as far as it allows.
	Stale bool
}

// Body is an answer that needs no service.
type Body struct {
	Status int // 200 to 599
	Type   string
	Text   string
	File   string // has the text instead; an absolute path
}

// Sends reports whether requests are sent somewhere else.
func (f Fallback) Sends() bool { return f.Path != "" || f.Upstream != "" }

// Answers reports whether the proxy answers them itself.
func (f Fallback) Answers() bool { return f.Body != Body{} }

// Content is the text of an answer, which may be in a file.
func (b Body) Content() ([]byte, error) {
	if b.File != "" {
		return strict.Contents(b.File)
	}
	return []byte(b.Text), nil
}

// Tiers of a route, by name, each once.
var fallbacks = named("tiers", func(name string) Fallback { return Fallback{Tier: name} }, fallback, func(f *Fallback) string { return f.Tier })

var fallback = object(zero[Fallback],
	member("path", otherPath, func(f *Fallback) *string { return &f.Path },
		"The path that requests are sent with instead of their own; a * at its end stands for that: /lite/* makes /lite/cart of /cart. The query stays."),
	member("upstream", reference, func(f *Fallback) *string { return &f.Upstream },
		"The upstream that they go to instead."),
	member("body", maybeFrom(newBody, body), func(f *Fallback) *Body { return &f.Body },
		"What the proxy answers them with itself, before the gate is asked: that takes no slot. gRPC is not answered so."),
	member("stale", truth, func(f *Fallback) *bool { return &f.Stale },
		"Whether an answer of the cache that is no longer fresh is given, as far as it may be, rather than asking the service.").when(func(f *Fallback) bool { return f.Stale }),
)

func newBody() Body { return Body{Status: 200, Type: "text/plain; charset=utf-8"} }

var body = object(newBody,
	member("status", number(200, 599), func(b *Body) *int { return &b.Status },
		"The status of the answer."),
	member("type", label, func(b *Body) *string { return &b.Type },
		"Its Content-Type."),
	member("text", prose, func(b *Body) *string { return &b.Text },
		"Its body."),
	member("file", file, func(b *Body) *string { return &b.File },
		"A file that has its body, 1 MiB at most, instead of text."),
)

// prose is any text.
var prose = kind[string]{
	read: func(r *reader, v strict.Value, to *string) {
		if !v.Scalar("!!str") {
			r.WantNot(v, "a text, in quotes where it looks like something else")
			return
		}
		*to = v.Text
	},
	node: func(s string) *yaml.Node {
		if s == "" {
			return nil
		}
		return text(s)
	},
	schema: schema{"type": "string"},
	shape:  "text",
}

var otherPath = textual("path", "a path that begins with / and may end in *, such as /lite/*", `^/[!-~]*$`, func(s string) (string, bool) {
	ok := strings.HasPrefix(s, "/") && !strings.ContainsAny(s, "?#%") && !strings.Contains(strings.TrimSuffix(s, "*"), "*")
	for _, c := range s {
		ok = ok && c > ' ' && c <= '~'
	}
	return s, ok && IsClean(strings.TrimSuffix(s, "*"))
}, same)

// fallbacks checks what tiers do to the requests of a route.
func (r *reader) fallbacks(place string, rt Route, c Config) {
	place += ".degrade"
	g, known := c.gate(rt.Gate)
	for _, f := range rt.Degrade {
		at := under(place, f.Tier)
		names := namesOf(g.Ladder.Tiers, func(t *Tier) string { return t.Name })
		switch {
		case !known || slices.Contains(names, "") || len(names) == 0 && !r.fine("gates."+rt.Gate):
		case len(names) == 0:
			r.Want(r.giver(at), "a ladder with that tier in gate %s, or nothing reaches this", rt.Gate)
		case !slices.Contains(names, f.Tier):
			r.Want(r.giver(at), "a tier of gate %s (%s), or nothing reaches this, have %s%s", rt.Gate, strings.Join(names, ", "), f.Tier, meant(f.Tier, names))
		}
		if !r.fine(at) {
			continue
		}
		r.fallback(at, rt, f, namesOf(c.Upstreams, func(u *Upstream) string { return u.Name }))
	}
}

func (r *reader) fallback(at string, rt Route, f Fallback, upstreams []string) {
	switch {
	case !f.Sends() && !f.Answers() && !f.Stale:
		r.Want(r.giver(at), "path, upstream, body or stale: true")
	case f.Sends() && f.Answers():
		r.Want(r.giver(at), "either a body, or a path or an upstream")
	}
	if f.Stale && !rt.Cache.On {
		r.Want(r.giver(at+".stale"), "a cache on the route with it, which has what is stale")
	}
	if f.Upstream != "" {
		r.refer(at+".upstream", "upstreams", f.Upstream, upstreams)
		if f.Upstream == rt.Upstream && f.Path == "" {
			r.Want(r.giver(at+".upstream"), "another upstream than the route's own, or a path with it")
		}
	}
	if f.Body.Text != "" && f.Body.File != "" {
		r.Want(r.giver(at+".body"), "text or file, not both")
	}
	if s := f.Body.Status; (s == 204 || s == 205 || s == 304) && (f.Body.Text != "" || f.Body.File != "") {
		r.Want(r.giver(at+".body"), "no text and no file with status %d, whose answers have no body", s)
	}
}

// fallbackFiles looks into the files that answers are in.
func (r *reader) fallbackFiles(place string, rt Route) {
	for _, f := range rt.Degrade {
		if f.Body.File != "" {
			_, err := strict.Contents(f.Body.File)
			r.unusable(fmt.Sprintf("%s.degrade.%s.body.file", place, f.Tier), f.Body.File, err)
		}
	}
}
