package port

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// pair returns a connection of a port and its other end.
func pair(t *testing.T) (*connection, net.Conn) {
	t.Helper()
	s, err := listen("127.0.0.1:0", 0)
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.begin()
	if err != nil {
		t.Fatal(err)
	}
	peer, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	made, err := at.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*connection)
	t.Cleanup(func() {
		_, _ = c.Close(), peer.Close() // some tests have
		if err := s.close(); err != nil {
			t.Error(err)
		}
		s.rests.mu.Lock()
		defer s.rests.mu.Unlock()
		if n := len(s.rests.young) + len(s.rests.old); n != 0 {
			t.Errorf("%d connections rest at the end", n)
		}
	})
	return c, peer
}

type readResult struct {
	got string
	err error
}

// read reads up to n bytes on a goroutine.
func read(c *connection, n int) <-chan readResult {
	out := make(chan readResult, 1)
	go func() {
		b := make([]byte, n)
		n, err := c.Read(b)
		out <- readResult{string(b[:n]), err}
	}()
	return out
}

// see waits until something is so of a connection.
func see(t *testing.T, c *connection, what string, is func() bool) {
	t.Helper()
	until(t, what, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return is()
	})
}

func send(t *testing.T, peer net.Conn, s string) {
	t.Helper()
	if _, err := io.WriteString(peer, s); err != nil {
		t.Fatal(err)
	}
}

func set(t *testing.T, c *connection, at time.Time) {
	t.Helper()
	if err := c.SetReadDeadline(at); err != nil {
		t.Fatal(err)
	}
}

func TestDeadlineOfReading(t *testing.T) {
	past, soon, never := time.Unix(1, 0), time.Now().Add(50*time.Millisecond), time.Now().Add(time.Hour)
	t.Run("passes", func(t *testing.T) {
		c, _ := pair(t)
		set(t, c, soon)
		if r := <-read(c, 8); !errors.Is(r.err, os.ErrDeadlineExceeded) {
			t.Errorf("read %q, %v", r.got, r.err)
		}
	})
	t.Run("has passed", func(t *testing.T) {
		c, peer := pair(t)
		send(t, peer, "x")
		set(t, c, past)
		if r := <-read(c, 8); !errors.Is(r.err, os.ErrDeadlineExceeded) {
			t.Errorf("read %q, %v", r.got, r.err)
		}
		set(t, c, time.Time{})
		if r := <-read(c, 8); r.got != "x" {
			t.Errorf("lifted: read %q, %v", r.got, r.err)
		}
	})
	t.Run("moved back while somebody reads", func(t *testing.T) {
		c, peer := pair(t)
		set(t, c, time.Now().Add(time.Second)) // by which somebody reads
		r := read(c, 8)
		see(t, c, "somebody reads", func() bool { return c.reading > 0 && !c.armed.IsZero() })
		set(t, c, never)
		see(t, c, "the first deadline has passed", func() bool { return c.armed.Equal(never) })
		send(t, peer, "x")
		if r := <-r; r.got != "x" {
			t.Errorf("read %q, %v", r.got, r.err)
		}
	})
	t.Run("moved forward while somebody reads", func(t *testing.T) {
		c, _ := pair(t)
		set(t, c, never)
		r := read(c, 8)
		see(t, c, "somebody reads", func() bool { return c.reading > 0 })
		if err := c.SetDeadline(past); err != nil {
			t.Fatal(err)
		}
		if r := <-r; !errors.Is(r.err, os.ErrDeadlineExceeded) {
			t.Errorf("read %q, %v", r.got, r.err)
		}
	})
	t.Run("counts from the first byte", func(t *testing.T) {
		c, peer := pair(t)
		c.socket.header = time.Hour
		set(t, c, time.Now().Add(time.Second))
		send(t, peer, "G")
		if r := <-read(c, 1); r.got != "G" {
			t.Fatalf("read %q, %v", r.got, r.err)
		}
		r := read(c, 8)
		see(t, c, "the first deadline has passed", func() bool { return c.armed.Equal(c.until) })
		send(t, peer, "ET")
		if r := <-r; r.got != "ET" {
			t.Errorf("read %q, %v", r.got, r.err)
		}
		set(t, c, past)
		if r := <-read(c, 8); !errors.Is(r.err, os.ErrDeadlineExceeded) {
			t.Errorf("a later one: read %q, %v", r.got, r.err)
		}
	})
	t.Run("of a socket in other hands", func(t *testing.T) {
		c, peer := pair(t)
		set(t, c, never)
		if err := c.expose(); err != nil {
			t.Fatal(err)
		}
		send(t, peer, "x")
		got := ""
		_, err := c.WriteTo(writer(func(p []byte) (int, error) {
			got += string(p)
			set(t, c, past)
			return len(p), nil
		}))
		if !errors.Is(err, os.ErrDeadlineExceeded) || got != "x" {
			t.Errorf("read %q, %v", got, err)
		}
	})
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestDeadlineOfWriting(t *testing.T) {
	c, _ := pair(t)
	for _, at := range []time.Time{{}, time.Unix(1, 0)} {
		if err := c.SetWriteDeadline(at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it has passed: %v", err)
	}
	for range 2 {
		if err := c.SetWriteDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte("x")); err != nil {
			t.Errorf("it was lifted: %v", err)
		}
	}
}

// As net/http looks whether a caller leaves: the deadline is lifted, and one
// byte read.
func TestRest(t *testing.T) {
	look := func(t *testing.T, c *connection) {
		t.Helper()
		set(t, c, time.Time{})
		if r := <-read(c, 1); r != (readResult{}) {
			t.Fatalf("read %q, %v", r.got, r.err)
		}
	}
	ahead := func(t *testing.T, c *connection) {
		t.Helper()
		see(t, c, "somebody reads ahead", func() bool { return c.ahead != nil || c.has })
	}
	t.Run("finds the next request", func(t *testing.T) {
		c, peer := pair(t)
		ctx := attended(t.Context(), c)
		look(t, c)
		send(t, peer, "xyz")
		see(t, c, "a byte was read ahead", func() bool { return c.has })
		for _, want := range []string{"", "x", "yz"} {
			if r := <-read(c, len(want)); r.got != want || r.err != nil {
				t.Errorf("read %q, %v, want %q", r.got, r.err, want)
			}
		}
		if ctx.Err() != nil {
			t.Error("its context has ended")
		}
	})
	t.Run("sees the peer leave", func(t *testing.T) {
		c, peer := pair(t)
		ctx := attended(t.Context(), c)
		look(t, c)
		if err := peer.Close(); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		for range 2 {
			if r := <-read(c, 8); r.err != io.EOF {
				t.Errorf("read %q, %v", r.got, r.err)
			}
		}
	})
	t.Run("is over before anybody looks", func(t *testing.T) {
		c, peer := pair(t)
		attended(t.Context(), c)
		for range 100 {
			look(t, c)
			set(t, c, time.Now().Add(time.Hour))
			see(t, c, "nothing rests", func() bool { return !c.resting })
			send(t, peer, "next")
			if r := <-read(c, 8); r.got != "next" {
				t.Fatalf("then read %q, %v", r.got, r.err)
			}
		}
	})
	t.Run("is interrupted", func(t *testing.T) {
		c, peer := pair(t)
		ctx := attended(t.Context(), c)
		for range 5 {
			look(t, c)
			ahead(t, c)
			r := read(c, 8)
			set(t, c, time.Unix(1, 0))
			if r := <-r; !errors.Is(r.err, os.ErrDeadlineExceeded) {
				t.Fatalf("read %q, %v", r.got, r.err)
			}
			see(t, c, "nobody reads", func() bool { return c.reading == 0 })
		}
		set(t, c, time.Now().Add(time.Hour))
		send(t, peer, "next")
		if r := <-read(c, 8); r.got != "next" {
			t.Errorf("then read %q, %v", r.got, r.err)
		}
		if ctx.Err() != nil {
			t.Error("its context has ended")
		}
	})
	t.Run("a deadline while somebody waits for it", func(t *testing.T) {
		c, _ := pair(t)
		attended(t.Context(), c)
		look(t, c)
		ahead(t, c)
		r := read(c, 8)
		set(t, c, time.Now().Add(50*time.Millisecond))
		if r := <-r; !errors.Is(r.err, os.ErrDeadlineExceeded) {
			t.Errorf("read %q, %v", r.got, r.err)
		}
	})
	t.Run("ends with the connection", func(t *testing.T) {
		c, _ := pair(t)
		ctx := attended(t.Context(), c)
		look(t, c)
		ahead(t, c)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if r := <-read(c, 8); !errors.Is(r.err, net.ErrClosed) {
			t.Errorf("read %q, %v", r.got, r.err)
		}
		<-ctx.Done()
	})
	t.Run("is given away", func(t *testing.T) {
		c, peer := pair(t)
		ctx := attended(t.Context(), c)
		look(t, c)
		ahead(t, c)
		if err := c.SetDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		if r := read(c, 1); true {
			send(t, peer, "x")
			if r := <-r; r.got != "x" {
				t.Errorf("read %q, %v", r.got, r.err)
			}
		}
		send(t, peer, "yz")
		if err := peer.Close(); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if n, err := c.WriteTo(&got); n != 2 || err != nil || got.String() != "yz" || ctx.Err() != nil {
			t.Errorf("read %q, %d, %v, and the context: %v", &got, n, err, ctx.Err())
		}
	})
	t.Run("is given away with what was read", func(t *testing.T) {
		for _, sent := range []string{"", "x", "xyz"} {
			c, peer := pair(t)
			attended(t.Context(), c)
			look(t, c)
			send(t, peer, sent)
			see(t, c, "somebody has read ahead", func() bool { return c.has || sent == "" && c.ahead != nil })
			if err := errors.Join(c.SetDeadline(time.Time{}), peer.Close()); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if n, err := c.WriteTo(&got); n != int64(len(sent)) || err != nil || got.String() != sent {
				t.Errorf("read %q, %d, %v", &got, n, err)
			}
		}
	})
}

// A request that takes longer than the rest leaves its connection as it was,
// whatever has come meanwhile.
func TestSlowRequests(t *testing.T) {
	conns := make(chan *connection, 1)
	begun, end := make(chan bool), make(chan bool)
	p, err := Open(Config{Address: "127.0.0.1:0", IdleTimeout: patience}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		begun <- true
		<-end
		if err != nil || r.Context().Err() != nil {
			t.Errorf("a request has ended: %v", err)
		}
		_, _ = w.Write(body)
	}), t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	p.server.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns <- c.(*connection)
		}
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve() }()
	defer func() {
		if err := errors.Join(p.Close(), <-served); err != nil {
			t.Error(err)
		}
	}()
	peer := dial(t, p)
	in := bufio.NewReader(peer)
	request := func(body string) string {
		return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	send(t, peer, request("first"))
	c := <-conns
	for i, body := range []string{"first", "second", "third", "fourth"} {
		<-begun
		see(t, c, "somebody reads ahead", func() bool { return c.ahead != nil || i == 2 })
		if i == 1 { // is asked for while the second is served
			send(t, peer, request("third"))
			see(t, c, "it was read ahead", func() bool { return c.has })
		}
		end <- true
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || string(got) != body {
			t.Errorf("answered %q, %v, want %q", got, err, body)
		}
		if i == 0 {
			send(t, peer, request("second"))
		}
		if i == 2 {
			send(t, peer, request("fourth"))
		}
	}
}
