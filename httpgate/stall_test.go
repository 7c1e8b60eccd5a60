package httpgate_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/limit"
)

// A caller who does not take his answer holds a place among the streams, not
// the slot; where there is none he keeps it.
func TestH10ReaderThatStopsLeavesTheSlot(t *testing.T) {
	const size = 64 << 20 // more than sockets hold
	for places, want := range map[int]plimsoll.Snapshot{1: {Streams: 1}, -1: {InFlight: 1}} {
		gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(1), MaxStreams: places})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(httpgate.Config{}.Handler(gate, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			part := make([]byte, 32<<10)
			for range size / len(part) {
				if _, err := w.Write(part); err != nil {
					t.Error(err)
				}
			}
		})))
		resp, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		again := time.NewTicker(5 * time.Millisecond)
		vain := time.After(30 * time.Second)
		for began := time.Now(); ; {
			s := gate.Snapshot()
			if s.Streams == want.Streams && s.InFlight == want.InFlight && (want.Streams > 0 || time.Since(began) > 300*time.Millisecond) {
				break
			}
			select {
			case <-again.C:
			case <-vain:
				t.Fatalf("%d in flight, %d streams", s.InFlight, s.Streams)
			}
		}
		again.Stop()
		if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
			t.Errorf("read %d, %v", n, err)
		}
		_ = resp.Body.Close()
		server.Close()
		if s := gate.Snapshot(); s.InFlight+s.Streams != 0 {
			t.Errorf("at rest %d in flight, %d streams", s.InFlight, s.Streams)
		}
	}
}
