package httpgate

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// trickle sends one byte every ten seconds until nobody takes it.
type trickle struct{ done <-chan struct{} }

func (r trickle) Read(p []byte) (int, error) {
	select {
	case <-time.After(10 * time.Second):
		return copy(p, "x"), nil
	case <-r.done:
		return 0, io.ErrUnexpectedEOF
	}
}

// A body that trickles in holds its slot until the deadline and no longer,
// although its handler does not look at its context.
func TestH10TricklingBody(t *testing.T) {
	t.Run("silent", func(t *testing.T) { trickles(t, nil, nil, http.StatusGatewayTimeout) })
	t.Run("answered", func(t *testing.T) {
		trickles(t, nil, func(w http.ResponseWriter) { http.Error(w, "too slow", http.StatusInternalServerError) }, http.StatusInternalServerError)
	})
}

// The same although the context has ended before the deadline, because the
// handler's own call had not begun to answer or was given up: what reads the
// body for that call does not see it.
func TestH10TricklingBodyOfACall(t *testing.T) {
	t.Run("overdue", func(t *testing.T) {
		trickles(t, func(b Bound) { b.BeginBy(time.Now().Add(20 * time.Second)) }, nil, http.StatusGatewayTimeout)
	})
	t.Run("cancelled", func(t *testing.T) { trickles(t, Bound.Cancel, nil, http.StatusGatewayTimeout) })
}

// trickles sends a body that never ends to a handler that reads it, over each
// protocol: after before, if it is given, and answering by answer, or not at all.
func trickles(t *testing.T, before func(Bound), answer func(http.ResponseWriter), status int) {
	for _, protocol := range protocols {
		bubble(t, func(t *testing.T) {
			p := newPipes()
			defer p.Close()
			g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
			began := time.Now()
			bubbleServe(t, p, Config{Wire: wire.Config{DefaultTimeout: 25 * time.Second}}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if before != nil {
					b, _ := BoundOf(r.Context())
					before(b)
				}
				_, err := io.Copy(io.Discard, r.Body)
				if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 25*time.Second {
					t.Errorf("%s: the body ends with %v after %v", protocol, err, time.Since(began))
				}
				if answer != nil {
					answer(w)
				}
			})), 0)
			transport := p.transport()
			if protocol == "h2" {
				transport = p.transport2()
			}
			defer transport.CloseIdleConnections()
			done := make(chan struct{})
			time.AfterFunc(time.Minute, func() { close(done) })
			resp, err := transport.RoundTrip(request(t, "POST", "http://gate/", trickle{done}))
			if err != nil || resp.StatusCode != status {
				t.Errorf("%s: %v, %v", protocol, resp, err)
			}
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			synctest.Wait()
			if s := g.Snapshot(); s.InFlight != 0 {
				t.Errorf("%s: %d in flight after %v", protocol, s.InFlight, time.Since(began))
			}
			<-done
			bubbleAtRest(t, g)
			wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.TimedOut: 1})
		})
	}
}

// Somebody who reads a byte a second gets what he takes until a second after
// the deadline; the handler that is stuck in writing to him is let go.
func TestH10SlowReader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPipes()
		defer p.Close()
		g := fixed(t, 1, plimsoll.Config{MaxQueue: -1, MaxStreams: -1})
		began := time.Now()
		bubbleServe(t, p, Config{Wire: wire.Config{DefaultTimeout: 5 * time.Second}}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := w.Write(make([]byte, 1<<20))
			if err == nil || time.Since(began) != 5*time.Second+lateGrace {
				t.Errorf("writing ends with %v after %v", err, time.Since(began))
			}
		})), 0)
		c, err := p.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		for one := make([]byte, 1); ; {
			if _, err := c.Read(one); err != nil {
				break
			}
			<-time.After(time.Second)
		}
		bubbleAtRest(t, g)
		if c := rest.Counts(g); c.Late != 1 || c.Goodput != 0 {
			t.Errorf("%d late, %d good", c.Late, c.Goodput)
		}
	})
}

// An answer that is late still gets out, and the connection goes on: the bound
// of one answer is not that of the next.
func TestLateAnswerGetsOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPipes()
		defer p.Close()
		g := fixed(t, 1, plimsoll.Config{})
		bubbleServe(t, p, Config{Wire: wire.Config{DefaultTimeout: time.Second}}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body)
			<-time.After(3 * time.Second)
			io.WriteString(w, "late")
		})), 0)
		c, err := p.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		in := bufio.NewReader(c)
		for range 3 {
			io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(resp.Body); string(body) != "late" || err != nil {
				t.Errorf("%q, %v", body, err)
			}
		}
		bubbleAtRest(t, g)
	})
}

// A stream is not cut at what was its caller's deadline, whatever it began as.
func TestStreamsAreNotCut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPipes()
		defer p.Close()
		g := fixed(t, 1, plimsoll.Config{})
		bubbleServe(t, p, Config{Wire: wire.Config{DefaultTimeout: time.Second}}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 5 {
				io.WriteString(w, "data: x\n\n")
				http.NewResponseController(w).Flush()
				<-time.After(time.Second)
			}
			body, err := io.ReadAll(r.Body)
			if string(body) != "late body" || err != nil {
				t.Errorf("its body: %q, %v", body, err)
			}
		})), 0)
		transport := p.transport2()
		defer transport.CloseIdleConnections()
		pr, pw := io.Pipe()
		go func() {
			<-time.After(4 * time.Second)
			io.WriteString(pw, "late body")
			pw.Close()
		}()
		resp, err := transport.RoundTrip(request(t, "POST", "http://gate/", pr))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || strings.Count(string(body), "data") != 5 {
			t.Errorf("%q, %v", body, err)
		}
		resp.Body.Close()
		bubbleAtRest(t, g)
	})
}

// Under full duplex what is left of a body that was cut is not taken for the
// next request, whether or not the answer had begun.
func TestCutUnderFullDuplex(t *testing.T) {
	for _, begun := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			p := newPipes()
			defer p.Close()
			g := fixed(t, 1, plimsoll.Config{})
			requests := 0
			bubbleServe(t, p, Config{Wire: wire.Config{DefaultTimeout: time.Second}}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				rc := http.NewResponseController(w)
				if err := rc.EnableFullDuplex(); err != nil {
					t.Error(err)
				}
				if begun {
					io.WriteString(w, "begun")
					rc.Flush()
				}
				io.ReadAll(r.Body)
				r.Body.Close()
			})), 0)
			c, err := p.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			answer := make(chan string, 1)
			go func() {
				text, _ := io.ReadAll(c)
				answer <- string(text)
			}()
			io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegun")
			<-time.After(2 * time.Second)
			io.WriteString(c, "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
			text := <-answer
			if strings.Count(text, "HTTP/1.1") != 1 || strings.HasPrefix(text, "HTTP/1.1 200") != begun {
				t.Errorf("begun %v: answered %q", begun, text)
			}
			bubbleAtRest(t, g)
			if requests != 1 {
				t.Errorf("begun %v: %d requests of one", begun, requests)
			}
		})
	}
}
