package httpgate

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// The optional interfaces of response writers, to build writers with any set
// of them.
type (
	flusher  struct{}
	hijacker struct{}
	pusher   struct{}
)

func (flusher) Flush()                                          {}
func (hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error)   { return nil, nil, http.ErrNotSupported }
func (pusher) Push(target string, opts *http.PushOptions) error { return http.ErrNotSupported }
func offers(w http.ResponseWriter) (flushes, hijacks, pushes bool) {
	_, flushes = w.(http.Flusher)
	_, hijacks = w.(http.Hijacker)
	_, pushes = w.(http.Pusher)
	return flushes, hijacks, pushes
}

func TestWriterOffersWhatTheServersDoes(t *testing.T) {
	type plain = http.ResponseWriter
	blank := &blankWriter{header: http.Header{}}
	for _, w := range []http.ResponseWriter{
		blank,
		struct {
			plain
			http.Flusher
		}{blank, flusher{}},
		struct {
			plain
			http.Hijacker
		}{blank, hijacker{}},
		struct {
			plain
			http.Flusher
			http.Hijacker
		}{blank, flusher{}, hijacker{}},
		struct {
			plain
			http.Flusher
			http.Pusher
		}{blank, flusher{}, pusher{}},
		struct {
			plain
			http.Flusher
			http.Hijacker
			http.Pusher
		}{blank, flusher{}, hijacker{}, pusher{}},
	} {
		e := &exchange{w: w, outer: httptest.NewRequest("GET", "/", nil)}
		f, h, p := offers(e.writer())
		if wf, wh, wp := offers(w); f != wf || h != wh || p != wp {
			t.Errorf("flush %t, hijack %t, push %t, where the server's has %t, %t, %t", f, h, p, wf, wh, wp)
		}
		if h {
			if _, _, err := e.writer().(http.Hijacker).Hijack(); !errors.Is(err, http.ErrNotSupported) || e.status != 0 {
				t.Errorf("hijack: %v, status %d", err, e.status)
			}
		}
		if p {
			if err := e.writer().(http.Pusher).Push("/", nil); !errors.Is(err, http.ErrNotSupported) {
				t.Errorf("push: %v", err)
			}
		}
	}
}

// What a handler can do with a real server's writer it can do with ours.
func TestWriterOfRealServers(t *testing.T) {
	for _, p := range protocols {
		t.Run(p, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
			body := strings.Repeat("0123456789", 10_000)
			file := t.TempDir() + "/file"
			if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
			mux.HandleFunc("/string", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) })
			mux.HandleFunc("/copy", func(w http.ResponseWriter, r *http.Request) {
				if _, ok := w.(io.ReaderFrom); !ok {
					t.Error("no ReaderFrom")
				}
				io.Copy(w, strings.NewReader(body))
			})
			mux.HandleFunc("/controller", func(w http.ResponseWriter, r *http.Request) {
				rc := http.NewResponseController(wrapped{w})
				soon := time.Now().Add(time.Hour)
				for name, err := range map[string]error{
					"flush": rc.Flush(), "read deadline": rc.SetReadDeadline(soon), "write deadline": rc.SetWriteDeadline(soon),
				} {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
				io.WriteString(w, body)
			})
			r := serve(t, g, Handler(g, mux))
			c := r.client(p)
			paths := []string{"/file", "/string", "/copy", "/controller"}
			for _, path := range paths {
				if resp, got := get(t, c, request(t, "GET", r.srv.URL+path, nil)); resp.StatusCode != 200 || got != body {
					t.Errorf("%s: %s, %d bytes", path, resp.Status, len(got))
				}
				wait.Until(t, "the slot is free", func() bool { return g.Snapshot().InFlight == 0 }, nil)
			}
			wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Success: uint64(len(paths))})
		})
	}
}

// The status decides how the work ended.
func TestOutcomeByStatus(t *testing.T) {
	for status, want := range map[int]plimsoll.Outcome{
		0: plimsoll.Success, 200: plimsoll.Success, 204: plimsoll.Success, 302: plimsoll.Success, 404: plimsoll.Success, 408: plimsoll.Ignored, 418: plimsoll.Success,
		429: plimsoll.Overloaded, 503: plimsoll.Overloaded, 504: plimsoll.TimedOut, 500: plimsoll.Failed, 502: plimsoll.Failed, 501: plimsoll.Failed,
	} {
		g := fixed(t, 1, plimsoll.Config{})
		Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			if status != 0 {
				w.WriteHeader(status)
				w.WriteHeader(500) // superfluous: the first one went out
			}
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		rest.Gate(t, g)
		if n := rest.Counts(g).Outcomes[want]; n != 1 {
			t.Errorf("%d: not %v", status, want)
		}
	}
}

// What is known of a request reaches the handler's context, and comes from
// where it should.
func TestClassification(t *testing.T) {
	hint := Config{Wire: wire.Config{Trusted: true}}
	byPath := hint
	byPath.Classify = func(r *http.Request, w *plimsoll.Work) {
		if w.Criticality == class.Unset && r.URL.Path == "/pay" {
			w.Criticality = class.CriticalPlus
		}
		w.Tenant = "rule"
	}
	for name, tc := range map[string]struct {
		cfg    Config
		header http.Header
		ctx    wire.Tag
		path   string
		want   wire.Tag
	}{
		"nothing said":            {path: "/", want: wire.Tag{}},
		"claimed":                 {hint, http.Header{"X-Request-Criticality": {"critical_plus"}}, wire.Tag{}, "/", wire.Tag{Criticality: class.CriticalPlus}},
		"hinted":                  {hint, http.Header{"Sec-Purpose": {"prefetch"}}, wire.Tag{}, "/", wire.Tag{Criticality: class.Sheddable}},
		"a rule before a hint":    {byPath, http.Header{"Sec-Purpose": {"prefetch"}}, wire.Tag{}, "/pay", wire.Tag{Criticality: class.CriticalPlus, Tenant: "rule"}},
		"no rule, a hint":         {byPath, http.Header{"Sec-Purpose": {"prefetch"}}, wire.Tag{}, "/", wire.Tag{Criticality: class.Sheddable, Tenant: "rule"}},
		"the rule heeds a claim":  {byPath, http.Header{"X-Request-Criticality": {"sheddable"}}, wire.Tag{}, "/pay", wire.Tag{Criticality: class.Sheddable, Tenant: "rule"}},
		"context before a claim":  {hint, http.Header{"X-Request-Criticality": {"sheddable"}}, wire.Tag{Criticality: class.CriticalPlus, Level: 7, Tenant: "a"}, "/", wire.Tag{Criticality: class.CriticalPlus, Level: 7, Tenant: "a"}},
		"context without a claim": {hint, http.Header{"X-Request-Criticality": {"sheddable"}}, wire.Tag{Tenant: "a"}, "/", wire.Tag{Criticality: class.Sheddable, Tenant: "a"}},
		"attempts":                {hint, http.Header{"X-Request-Attempt": {"2"}}, wire.Tag{}, "/", wire.Tag{Attempt: 2}},
	} {
		g := fixed(t, 1, plimsoll.Config{})
		var got wire.Tag
		h := tc.cfg.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = wire.From(r.Context()) }))
		r := httptest.NewRequest("GET", tc.path, nil)
		for k, v := range tc.header {
			r.Header[k] = v
		}
		h.ServeHTTP(httptest.NewRecorder(), r.WithContext(wire.With(r.Context(), tc.ctx)))
		if got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
		rest.Gate(t, g)
		if n := g.Snapshot().Classes[tc.want.Criticality.OrDefault().Lane()].Admitted; n != 1 {
			t.Errorf("%s: not counted as %v", name, tc.want.Criticality)
		}
	}
}

// The handler's context derives from the server's.
func TestContext(t *testing.T) {
	type key struct{}
	g := fixed(t, 1, plimsoll.Config{})
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(key{}) != "value" {
			t.Error("a value is lost")
		}
		child, stop := context.WithCancel(r.Context())
		defer stop()
		cancel()
		<-child.Done()
		if r.Context().Err() != context.Canceled {
			t.Error(r.Context().Err())
		}
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	rest.Gate(t, g)
	wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Abandoned: 1})
}

// Where a pace is kept by read deadlines, who sends too slowly has left by the time of
// the 408. What he cost says nothing all the same.
func TestSlowSenderIsIgnored(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
		w.WriteHeader(http.StatusRequestTimeout)
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil).WithContext(ctx))
	rest.Gate(t, g)
	wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Ignored: 1})
}

// net/http deletes the files of a form when the request has been served, and
// looks for them in the request it made, not in the handler's.
func TestFormFilesAreDeleted(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	names := make(chan string, 1)
	r := serve(t, g, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1); err != nil {
			t.Error(err)
			return
		}
		f, err := r.MultipartForm.File["upload"][0].Open()
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		names <- f.(*os.File).Name()
	})))
	var body strings.Builder
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("upload", "large")
	io.WriteString(part, strings.Repeat("x", 11<<20)) // more than the part of a form that stays in memory
	form.Close()
	req := request(t, "POST", r.srv.URL, strings.NewReader(body.String()))
	req.Header.Set("Content-Type", form.FormDataContentType())
	get(t, r.client("h1"), req)
	name := <-names
	wait.Until(t, name+" is deleted", func() bool {
		_, err := os.Stat(name)
		return errors.Is(err, os.ErrNotExist)
	}, nil)
}

func TestAdmittedAllocations(t *testing.T) {
	g := fixed(t, 8, plimsoll.Config{})
	h := Handler(g, trivial)
	r, w := plainRequest(t), &blankWriter{header: http.Header{}}
	bare := testing.AllocsPerRun(1000, func() { trivial.ServeHTTP(w, r) })
	gated := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) })
	if gated-bare > 2 {
		t.Errorf("%v allocations more than bare, want 2 at most", gated-bare)
	}
	rest.Gate(t, g)
}
