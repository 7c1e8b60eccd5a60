package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// short is a deadline that streams outlive: once they have begun, the
// caller's deadline bounds them no more.
const short = time.Second

func oneSlot(c *config.Config) { c.Gates[0].Limit, c.Routes[0].Timeout = 1, short }

func TestB15ServerSentEvents(t *testing.T) {
	const events = 5
	emit := make(chan int)
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range emit {
			fmt.Fprintf(w, "data: %d\n\n", i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}
	}), oneSlot)
	began := time.Now()
	answered := make(chan *http.Response, 1)
	go func() {
		resp, err := r.client().Do(r.request("/events"))
		if err != nil {
			t.Error(err)
		}
		answered <- resp
	}()
	emit <- 0
	resp := <-answered
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for i := range events {
		if i > 0 { // the next only when the last has been seen: nothing may hold it back
			emit <- i
		}
		if !lines.Scan() || lines.Text() != fmt.Sprintf("data: %d", i) || !lines.Scan() {
			t.Fatalf("event %d: %q, %v", i, lines.Text(), lines.Err())
		}
		if s := r.Snapshot(); s.Streams != 1 || s.InFlight != 0 {
			t.Errorf("event %d: %v", i, r.brief())
		}
		<-time.After(short / (events - 1))
	}
	if lived := time.Since(began); lived < short {
		t.Errorf("it has not outlived its deadline: %s", lived)
	}
	close(emit)
	if lines.Scan() || lines.Err() != nil {
		t.Errorf("after the end: %q, %v", lines.Text(), lines.Err())
	}
	r.atRest()
}

func TestB15WebSocket(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		conn, err := websocket.Accept(w, req, nil)
		if err != nil {
			t.Error(err)
			return
		}
		for {
			kind, message, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			if err := conn.Write(context.Background(), kind, message); err != nil {
				t.Error(err)
			}
		}
	}), oneSlot)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, r.url+"/socket", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, began := 0, time.Now(); time.Since(began) < 2*short; i++ {
		sent := strings.Repeat(fmt.Sprint(i), 100)
		if err := conn.Write(ctx, websocket.MessageText, []byte(sent)); err != nil {
			t.Fatal(err)
		}
		if _, got, err := conn.Read(ctx); err != nil || string(got) != sent {
			t.Fatalf("echo %d: %q, %v", i, got, err)
		}
		if s := r.Snapshot(); s.Streams != 1 || s.InFlight != 0 {
			t.Fatalf("echo %d: %v", i, r.brief())
		}
	}
	if err := conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
	r.atRest()
}

// A raw upgrade of a protocol that nothing here knows, whose ends close one
// after the other.
func TestB15RawUpgrade(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", req.Header.Get("Upgrade"))
		rw.Flush()
		line, _ := rw.ReadString('\n')
		fmt.Fprintf(rw, "you said %s", line)
		rw.Flush()
	}), oneSlot)
	conn := r.dial()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Upgrade") != "chat" {
		t.Fatalf("answered %+v, %v", resp, err)
	}
	r.until("it has left its slot", func() bool { s := r.Snapshot(); return s.Streams == 1 && s.InFlight == 0 })
	fmt.Fprint(conn, "hello\n")
	if rest, err := io.ReadAll(in); err != nil || string(rest) != "you said hello\n" {
		t.Errorf("%q, %v", rest, err)
	}
	conn.Close() // until then only one direction has ended
	r.atRest()
}

func TestH16Upgrades(t *testing.T) {
	seen := make(chan http.Header, 1)
	r := start(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { seen <- req.Header }), nil)
	for name, headers := range map[string][]string{
		"h2c":                {"Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA"},
		"h2c and more of it": {"Connection", "Upgrade", "Upgrade", "h2c, H2C,", "HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA"},
		"connection alone":   {"Connection", "Upgrade"},
		"upgrade alone":      {"Upgrade", "websocket"},
		"unprintable":        {"Connection", "Upgrade", "Upgrade", "web\xe2\x98\x83socket"},
		"unprintable, alone": {"Upgrade", "\xff"},
	} {
		if a := r.send(r.client(), r.request("/", headers...)); a.StatusCode != 200 {
			t.Errorf("%s: answered %d %q", name, a.StatusCode, a.body)
			continue
		}
		h := <-seen
		for _, key := range []string{"Upgrade", "Http2-Settings", "Connection"} {
			if v := h[key]; v != nil {
				t.Errorf("%s: the backend got %s: %q", name, key, v)
			}
		}
	}
}
