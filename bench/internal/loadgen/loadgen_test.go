package loadgen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestHighest(t *testing.T) {
	for _, limit := range []int{1, 7, 999, 3000, 12345, 100000} {
		got, err := Highest(3000, func(rate int) (bool, error) { return rate <= limit, nil })
		if err != nil || got > limit || float64(got) < 0.95*float64(limit) && limit-got > 1 {
			t.Errorf("limit %d: %d, %v", limit, got, err)
		}
	}
	if got, err := Highest(3000, func(int) (bool, error) { return false, nil }); err == nil {
		t.Errorf("none is kept: %d", got)
	}
	fault := errors.New("gone")
	if _, err := Highest(3000, func(int) (bool, error) { return false, fault }); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	// One stall of the machine does no harm.
	n := 0
	got, _ := Highest(3000, func(rate int) (bool, error) { n++; return n != 2 && rate <= 10000, nil })
	if got < 9500 {
		t.Errorf("%d after a stall", got)
	}
}

func TestKept(t *testing.T) {
	if (Trial{Due: 1000, Done: 989}).Kept() || !(Trial{Due: 1000, Done: 990}).Kept() {
		t.Error("one in a hundred may be missing, and no more")
	}
	got := Trial{Done: 500, Wall: 2 * time.Second, CPU: 5 * time.Millisecond}
	if got.Rate() != 250 || got.PerRequest() != 10*time.Microsecond {
		t.Errorf("%v/s, %v each", got.Rate(), got.PerRequest())
	}
}

func TestResultsAreRead(t *testing.T) {
	var p Trial
	if err := p.readPlimsoll([]byte(`{"version":1,"all":{"offered":100,"good":98,"slip":{"p99_ms":0.25}}}`)); err != nil || p.Due != 100 || p.Done != 98 || p.Slip != 250*time.Microsecond {
		t.Errorf("%+v, %v", p, err)
	}
	// 1,000 a second for 3 ms: the second is half a millisecond late, the third
	// failed.
	v := Trial{Wall: 3 * time.Millisecond}
	const lines = "1000000,200,5,0,2,,b2s=,,0,GET,u,\n2500000,200,5,0,2,,b2s=,,1,GET,u,\n3000000,0,5,0,0,refused,,,2,GET,u,\n"
	if err := v.readVegeta(strings.NewReader(lines), 1000); err != nil || v.Due != 3 || v.Done != 2 || v.Slip != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	w := Trial{}
	if err := w.readWrk([]byte("  101538 requests in 2.10s, 12.01MB read\nRequests/sec:  48350.10")); err != nil || w.Done != 101538 || w.Wall != 2100*time.Millisecond {
		t.Errorf("%+v, %v", w, err)
	}
	for name, err := range map[string]error{
		"plimsoll": new(Trial).readPlimsoll([]byte("{")),
		"vegeta":   new(Trial).readVegeta(strings.NewReader("1,2,3\n"), 1),
		"wrk":      new(Trial).readWrk([]byte("unable to connect")),
	} {
		if err == nil {
			t.Errorf("%s: no fault", name)
		}
	}
}

func TestServerAnswersWhatComes(t *testing.T) {
	in, end := io.Pipe()
	out, said := io.Pipe()
	ended := make(chan error)
	go func() { ended <- Serve(in, said) }()
	var addr string
	if _, err := fmt.Fscanf(out, "listen=%s admin=none\n", &addr); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if string(body) != "ok" || resp.StatusCode != http.StatusOK {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
	// Two and a half at once, and the rest later.
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	answers := bufio.NewReader(conn)
	for _, part := range []string{request + request + request[:9], request[9:]} {
		fmt.Fprint(conn, part)
		for range strings.Count(part, "\r\n\r\n") {
			resp, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
		}
	}
	_ = end.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
