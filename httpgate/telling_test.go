package httpgate

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// Who is told what: everybody where that is configured, else trusted callers
// who ask, by their network or by a signature.
func TestWhoIsTold(t *testing.T) {
	keys, err := wire.NewKeyring(map[string][]byte{"edge-1": bytes.Repeat([]byte{1}, wire.MinKeyBytes)})
	if err != nil {
		t.Fatal(err)
	}
	signature, err := keys.Sign("edge-1", wire.Claims{Criticality: class.Sheddable, Expires: time.Now().Add(time.Minute)}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name         string
		c            Config
		want         []string
		signature    string
		timing, load bool
	}{
		{"nobody asks", Config{Wire: wire.Config{Trusted: true}}, nil, "", false, false},
		{"always", Config{ServerTiming: true, LoadReport: true}, nil, "", true, true},
		{"one of them", Config{ServerTiming: true}, nil, "", true, false},
		{"anybody asks", Config{}, []string{"server-timing, load-report"}, "", false, false},
		{"a trusted caller asks", Config{Wire: wire.Config{Trusted: true}}, []string{"server-timing, load-report"}, "", true, true},
		{"for one", Config{Wire: wire.Config{Trusted: true}}, []string{"x", " load-report ,"}, "", false, true},
		{"one with a signature", Config{Wire: wire.Config{Keys: keys}}, []string{"server-timing"}, signature, true, false},
		{"with a bad one", Config{Wire: wire.Config{Keys: keys}}, []string{"server-timing"}, signature + "x", false, false},
	} {
		g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
		h := tt.c.Handler(g, ok)
		for _, full := range []bool{false, true} {
			free := func() {}
			if full {
				free = occupy(t, g, 1)
			}
			r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
			r.Header["Plimsoll-Want"] = tt.want
			if tt.signature != "" {
				r.Header.Set(wire.SignatureHeader, tt.signature)
			}
			h.ServeHTTP(w, r)
			free()
			if got := w.Header().Get(ServerTimingHeader) != ""; got != (tt.timing && !full) {
				t.Errorf("%s, full %v: Server-Timing %v", tt.name, full, got)
			}
			if got := w.Header().Get(LoadReportHeader); (got != "") != tt.load {
				t.Errorf("%s, full %v: %q", tt.name, full, got)
			} else if _, err := readOrcaText(got); tt.load && err != nil {
				t.Errorf("%s: %q: %v", tt.name, got, err)
			}
		}
		rest.Gate(t, g)
	}
}

// Server-Timing says how long a request waited and how long its handler took,
// beside what the handler says itself, and is there for an answer of silence.
func TestServerTiming(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{MaxWait: time.Minute, NoPrediction: true})
		h := Config{ServerTiming: true}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(30 * time.Millisecond)
			if r.URL.Path == "/silent" {
				return
			}
			w.Header().Set(ServerTimingHeader, "db;dur=7")
			io.WriteString(w, "ok")
			time.Sleep(time.Hour)
		}))
		for path, want := range map[string]string{"/silent": "q;dur=12.5, up;dur=30", "/": "db;dur=7|q;dur=12.5, up;dur=30"} {
			free := occupy(t, g, 1)
			done := make(chan string)
			go func() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
				done <- strings.Join(w.Result().Header[ServerTimingHeader], "|")
			}()
			synctest.Wait()
			time.Sleep(12500 * time.Microsecond)
			free()
			if got := <-done; got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		}
		bubbleAtRest(t, g)
	})
}

// An answer that has a report of the service behind keeps it, alone.
func TestLoadReportOfTheOrigin(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	for _, name := range []string{LoadReportHeader, LoadReportBinHeader} {
		w := httptest.NewRecorder()
		Config{LoadReport: true}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(name, "theirs")
			w.WriteHeader(http.StatusNoContent)
		})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Header().Get(name) != "theirs" || len(w.Header()) != 1 {
			t.Errorf("%s: %v", name, w.Header())
		}
	}
}

// gRPC has its report in the trailers, or in the headers where they are all
// that there is, and always in the binary form.
func TestLoadReportGRPC(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
	r := serve(t, g, Config{LoadReport: true}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		switch r.URL.Path {
		case "/announced":
			w.Header().Set("Trailer", "Grpc-Status")
			io.WriteString(w, "message")
			w.Header().Set("Grpc-Status", "0")
		case "/unannounced":
			io.WriteString(w, "message")
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		case "/trailers-only":
			w.Header().Set("Grpc-Status", "5")
			w.WriteHeader(http.StatusOK)
		case "/silent":
			w.Header().Set("Grpc-Status", "5")
		case "/theirs":
			io.WriteString(w, "message")
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
			w.Header().Set(http.TrailerPrefix+LoadReportBinHeader, "theirs")
		}
	})))
	c := r.client("h2")
	for path, trailers := range map[string]bool{"/announced": true, "/unannounced": true, "/trailers-only": false, "/silent": false, "/theirs": true, "/refused": false} {
		free := func() {}
		if path == "/refused" {
			wait.Until(t, "the slot is free", func() bool { return g.Snapshot().InFlight == 0 }, nil)
			free = occupy(t, g, 1)
		}
		req := request(t, "POST", r.srv.URL+path, strings.NewReader("message"))
		req.Header.Set("Content-Type", "application/grpc")
		resp, _ := get(t, c, req)
		free()
		in, other := resp.Header, resp.Trailer
		if trailers {
			in, other = other, in
		}
		report := in.Get(LoadReportBinHeader)
		if _, err := readOrcaBinary(report); err != nil && path != "/theirs" || path == "/theirs" && report != "theirs" {
			t.Errorf("%s: %q: %v", path, report, err)
		}
		if in.Get("Grpc-Status") == "" || other.Get("Grpc-Status") != "" || other.Get(LoadReportBinHeader) != "" || resp.Header.Get(LoadReportHeader) != "" {
			t.Errorf("%s: headers %v, trailers %v", path, resp.Header, resp.Trailer)
		}
	}
}

// A report follows what happens: a gate at twice its capacity, for seconds.
func TestLoadFollows(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := fixed(t, 2, plimsoll.Config{MaxQueue: -1})
		l := NewLoad(g)
		read := func() map[string]float64 {
			t.Helper()
			m, err := readOrcaText(l.report().text[0])
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		if m := read(); m["application_utilization"] != 0 || m["rps_fractional"] != 0 || len(m) != 8 {
			t.Errorf("at rest: %v", m)
		}
		var m map[string]float64
		for range 100 { // four arrivals every 50 ms for two slots, of which half fail
			var held []plimsoll.Ticket
			for i := range 4 {
				c := class.CriticalPlus
				if i >= 2 {
					c = class.Sheddable
				}
				if ticket, err := g.Acquire(context.Background(), plimsoll.Work{Criticality: c}); err == nil {
					held = append(held, ticket)
				}
			}
			time.Sleep(loadEvery)
			m = read()
			for i, ticket := range held {
				ticket.Release([]plimsoll.Outcome{plimsoll.Success, plimsoll.Failed}[i])
			}
		}
		for name, want := range map[string]float64{
			"application_utilization": 2, "rps_fractional": 40, "eps": 20,
			"named_metrics.shed_critical_plus": 0, "named_metrics.shed_sheddable": 1, "named_metrics.shed_critical": 0,
		} {
			if got := m[name]; got < want*0.95 || got > want*1.05 {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
		bubbleAtRest(t, g)
	})
}

// A report is made once in 50 ms, whatever the traffic, and costs nothing
// between.
func TestLoadIsCached(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{})
		l := NewLoad(g)
		first := l.report()
		time.Sleep(loadEvery - 1)
		if l.report() != first {
			t.Error("made anew too early")
		}
		time.Sleep(time.Nanosecond)
		second := l.report()
		if second == first || l.report() != second {
			t.Error("not made anew, or more than once")
		}
		if n := testing.AllocsPerRun(100, func() { l.report() }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// What is written for Server-Timing is a list of names with a number each.
func FuzzTimings(f *testing.F) {
	f.Add(int64(0), int64(time.Second))
	f.Add(int64(-1), int64(1<<63-1))
	f.Fuzz(func(t *testing.T, queue, upstream int64) {
		s := timings(time.Duration(queue), time.Duration(upstream))
		q, up, found := strings.Cut(s, ", ")
		for name, entry := range map[string]string{"q;dur=": q, "up;dur=": up} {
			value, named := strings.CutPrefix(entry, name)
			if v, err := strconv.ParseFloat(value, 64); !found || !named || err != nil || v < 0 || strings.ContainsAny(value, "e+") {
				t.Fatalf("%q: %v", s, err)
			}
		}
	})
}
