package port

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// guarded is a port with a gate behind it.
func guarded(t *testing.T, c Config) (*Port, *plimsoll.Gate) {
	t.Helper()
	g, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return open(t, c, httpgate.Handler(g, protocol)), g
}

// untouched checks that nobody has asked the gate but those who are served.
func untouched(t *testing.T, g *plimsoll.Gate, served uint64) {
	t.Helper()
	var arrived uint64
	s := g.Snapshot()
	for lane := range s.Classes {
		arrived += s.Classes[lane].Arrived
	}
	if arrived != served || s.InFlight != 0 || served == 0 && s.HighInFlight != 0 {
		t.Errorf("%d asked for a slot, %d in flight, at most %d at once", arrived, s.InFlight, s.HighInFlight)
	}
}

// frame is one of HTTP/2 (RFC 9113 4.1).
func frame(kind, flags byte, stream uint32, payload string) string {
	n := len(payload)
	b := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags}
	return string(binary.BigEndian.AppendUint32(b, stream)) + payload
}

// field is a literal without indexing (RFC 7541 6.2.2), of less than 127 bytes.
func field(name, value string) string {
	return "\x00" + string(byte(len(name))) + name + string(byte(len(value))) + value
}

const (
	preface   = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	headers   = 0x1
	ping      = 0x6
	continues = 0x9
	endStream = 0x1
)

// begun is the header of a GET, without its end.
var begun = field(":method", "GET") + field(":scheme", "http") + field(":path", "/") + field(":authority", "a")

// A header that comes a byte at a time is cut off at its absolute time and has
// no slot before it is complete, however many come so.
func TestH10SlowHeaders(t *testing.T) {
	for name, drip := range map[string]func(n int) string{
		"HTTP/1.1": func(n int) string {
			const head = "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
			if n < len(head) {
				return head[n : n+1]
			}
			return "x"
		},
		// A header block of HTTP/2 that does not end; PINGs do not prolong it.
		"HTTP/2": func(n int) string {
			switch n {
			case 0:
				return preface + frame(headers, endStream, 1, begun)
			default:
				return frame(continues, 0, 1, field("a", "x"))
			}
		},
		"HTTP/2, idle but for PINGs": func(n int) string {
			if n == 0 {
				return preface
			}
			return frame(ping, 0, 0, "12345678")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, g := guarded(t, Config{ReadHeaderTimeout: 200 * time.Millisecond, IdleTimeout: 200 * time.Millisecond})
			var all sync.WaitGroup
			for range 20 {
				c := dial(t, p)
				all.Go(func() { dripUntilCut(t, c, drip) })
			}
			// On a busy machine the connection of somebody else may be cut as well,
			// before its header has got there.
			c := client(t, false)
			until(t, "somebody else is served", func() bool {
				resp, err := c.Get("http://" + p.Addr().String())
				if err != nil {
					return false
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				return err == nil && string(body) == "HTTP/1.1"
			})
			all.Wait()
			untouched(t, g, 1)
		})
	}
}

func dripUntilCut(t *testing.T, c net.Conn, drip func(n int) string) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, c)
	}()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	vain := time.After(patience)
	for n := 0; ; n++ {
		_, _ = io.WriteString(c, drip(n))
		select {
		case <-gone:
			return
		case <-again.C:
		case <-vain:
			t.Error("it is still read")
			return
		}
	}
}

// growth is how much the live heap grows while f runs.
func growth(f func()) (most int64) {
	live := func() int64 { // as it was marked: garbage that has come since is not in it
		m := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		runtime.GC()
		metrics.Read(m)
		return int64(m[0].Value.Uint64())
	}
	before, done := live(), make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			most = max(most, live()-before)
		case <-done:
			return max(most, live()-before)
		}
	}
}

// Headers without end are cut off early, cost little memory, and no slot.
func TestH11HeaderFloods(t *testing.T) {
	const attackers, block = 8, 16 << 10
	big := strings.Repeat("x", block)
	small := strings.Repeat("a: b\r\n", block/6)
	for name, flood := range map[string]struct{ first, then, status string }{
		"one large header":           {"GET / HTTP/1.1\r\nHost: a\r\nX-Big: ", big, "HTTP/1.1 431 "},
		"many small headers":         {"GET / HTTP/1.1\r\nHost: a\r\n", small, "HTTP/1.1 431 "},
		"a long request line":        {"GET /", big, "HTTP/1.1 431 "},
		"continuations":              {preface + frame(headers, endStream, 1, begun), frame(continues, 0, 1, strings.Repeat(field("a", "b"), block/5)), ""},
		"continuations, indexed":     {preface + frame(headers, endStream, 1, begun), frame(continues, 0, 1, strings.Repeat("\x82", block)), ""},
		"continuations with nothing": {preface + frame(headers, endStream, 1, begun), strings.Repeat(frame(continues, 0, 1, ""), block/9), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, g := guarded(t, Config{MaxHeaderBytes: 64 << 10, ReadHeaderTimeout: patience, IdleTimeout: 500 * time.Millisecond, MaxStreams: 250})
			grown := growth(func() {
				var all sync.WaitGroup
				for range attackers {
					c := dial(t, p)
					all.Go(func() { pour(t, c, flood.first, flood.then, flood.status) })
				}
				all.Wait()
			})
			if grown > 20<<20 && !raced {
				t.Errorf("the heap has grown by %d MiB", grown>>20)
			}
			untouched(t, g, 0)
		})
	}
}

// pour sends a header until it is cut off, which has to be soon: what the
// sockets hold is 4 MiB or so of it.
func pour(t *testing.T, c net.Conn, first, then, status string) {
	const most = 64 << 20
	answer := make(chan string, 1)
	go func() {
		text, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			text = status // the reset has overtaken it
		}
		answer <- text
		_, _ = io.Copy(io.Discard, c)
	}()
	sent, err := io.WriteString(c, first)
	for err == nil && sent < most {
		var n int
		n, err = io.WriteString(c, then)
		sent += n
	}
	if err == nil {
		t.Errorf("%d bytes of header were taken", sent)
		c.Close()
	}
	if text := <-answer; !strings.HasPrefix(text, status) {
		t.Errorf("answered %q", text)
	}
}

// The inputs as they are named: refused with 431, and nothing else happens.
func TestH11Answers(t *testing.T) {
	p, g := guarded(t, Config{MaxHeaderBytes: 64 << 10})
	for name, lines := range map[string]string{
		"one header of 2 MiB":     "X-Big: " + strings.Repeat("x", 2<<20) + "\r\n",
		"100,000 of one byte":     strings.Repeat("a: b\r\n", 100_000),
		"100,000 without a value": strings.Repeat("a:\r\n", 100_000),
	} {
		c := dial(t, p)
		go func() { _, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n"+lines+"\r\n") }()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge || !resp.Close {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
	h2 := client(t, true)
	req, err := http.NewRequest("GET", "http://"+p.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Big", strings.Repeat("x", 2<<20))
	if resp, err := h2.Do(req); err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("HTTP/2: %s", resp.Status)
		}
	}
	untouched(t, g, 0)
}
