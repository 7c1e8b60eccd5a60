package port

import (
	"bytes"
	"errors"
	"io"
	"net"
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
		set(t, c, time.Now().Add(50*time.Millisecond))
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
		if _, err := c.SyscallConn(); err != nil {
			t.Fatal(err)
		}
		send(t, peer, "x")
		set(t, c, time.Now().Add(50*time.Millisecond))
		var got bytes.Buffer
		if _, err := c.WriteTo(&got); !errors.Is(err, os.ErrDeadlineExceeded) || got.String() != "x" {
			t.Errorf("read %q, %v", &got, err)
		}
	})
}

// Reading on, as net/http does it: the deadline is lifted, and one byte read.
func TestRest(t *testing.T) {
	resting := func(t *testing.T, c *connection) <-chan readResult {
		t.Helper()
		set(t, c, time.Time{})
		return read(c, 1)
	}
	t.Run("ends by itself", func(t *testing.T) {
		c, peer := pair(t)
		send(t, peer, "xy")
		if r := <-resting(t, c); r.got != "x" || c.wake == nil {
			t.Errorf("read %q, %v", r.got, r.err)
		}
		c.wake = nil
		if r := <-read(c, 1); r.got != "y" || c.wake != nil {
			t.Errorf("another byte: read %q, %v", r.got, r.err)
		}
	})
	t.Run("and sees the peer leave", func(t *testing.T) {
		c, peer := pair(t)
		r := resting(t, c)
		if err := peer.Close(); err != nil {
			t.Fatal(err)
		}
		if r := <-r; r.err != io.EOF {
			t.Errorf("read %q, %v", r.got, r.err)
		}
	})
	t.Run("is interrupted", func(t *testing.T) {
		c, peer := pair(t)
		for range 100 { // some of them after the rest
			r := resting(t, c)
			see(t, c, "somebody rests or reads", func() bool { return c.resting || c.reading > 0 })
			set(t, c, time.Unix(1, 0))
			if r := <-r; !errors.Is(r.err, os.ErrDeadlineExceeded) {
				t.Fatalf("read %q, %v", r.got, r.err)
			}
		}
		set(t, c, time.Now().Add(time.Hour))
		send(t, peer, "next")
		if r := <-read(c, 8); r.got != "next" {
			t.Errorf("then read %q, %v", r.got, r.err)
		}
	})
	t.Run("ends with the connection", func(t *testing.T) {
		c, _ := pair(t)
		r := resting(t, c)
		see(t, c, "somebody rests or reads", func() bool { return c.resting || c.reading > 0 })
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if r := <-r; !errors.Is(r.err, net.ErrClosed) {
			t.Errorf("read %q, %v", r.got, r.err)
		}
	})
}
