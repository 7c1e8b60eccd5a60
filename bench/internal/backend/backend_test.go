package backend

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

func TestAJobWhoseCallerHasLeftCostsItsSlotTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 100*ms)
		defer s.Stop()
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*ms)
		defer cancel()
		if err := s.Serve(ctx); err == nil || time.Since(start) != 10*ms {
			t.Errorf("%v after %s, want the caller to leave after 10 ms", err, time.Since(start))
		}
		if err := s.Serve(t.Context()); err != nil || time.Since(start) != 200*ms {
			t.Errorf("%v after %s, want the second job to end after 200 ms", err, time.Since(start))
		}
	})
}

func TestSlotsServeOldestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(2, 100*ms)
		defer s.Stop()
		start := time.Now()
		ended := make([]time.Duration, 5)
		for i := range ended {
			go func() {
				_ = s.Serve(t.Context())
				ended[i] = time.Since(start)
			}()
			synctest.Wait()
		}
		if n := s.Waiting(); n != 3 {
			t.Errorf("%d wait, want 3", n)
		}
		time.Sleep(time.Second)
		for i, want := range []time.Duration{100 * ms, 100 * ms, 200 * ms, 200 * ms, 300 * ms} {
			if ended[i] != want {
				t.Errorf("job %d ended after %s, want %s", i, ended[i], want)
			}
		}
	})
}

// serving runs a backend and returns its address and that of its control.
func serving(t *testing.T, holds time.Duration) (address, admin string) {
	stdin, end := io.Pipe()
	stdout, said := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(1, holds, stdin, said) }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = end.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	address, admin, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok || !strings.HasPrefix(address, "listen=") || !strings.HasPrefix(admin, "admin=") {
		t.Fatalf("said %q", line)
	}
	return strings.TrimPrefix(address, "listen="), strings.TrimPrefix(admin, "admin=")
}

func TestServiceFollowsItsChangesFromItsFirstRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{Slots: NewSlots(1, 10*ms)}
		defer s.Stop()
		s.changes.Store(&[]Change{{0, 10 * ms, 0}, {100 * ms, 20 * ms, 0}, {200 * ms, 10 * ms, 70 * ms}})
		time.Sleep(time.Second) // nobody asks: nothing has begun
		start := time.Now()
		for _, tt := range []struct{ at, took time.Duration }{
			{0, 10 * ms}, {50 * ms, 10 * ms}, {150 * ms, 20 * ms}, {250 * ms, 80 * ms}, {350 * ms, 80 * ms},
		} {
			time.Sleep(time.Until(start.Add(tt.at)))
			began := time.Now()
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if took := time.Since(began); took != tt.took || w.Body.String() != "done\n" {
				t.Errorf("at %s: %q after %s, want it after %s", tt.at, w.Body, took, tt.took)
			}
		}
	})
}

func TestServe(t *testing.T) {
	address, admin := serving(t, ms)
	if err := Follow(admin, []Change{{0, ms, 0}}); err != nil {
		t.Error(err)
	}
	resp, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || string(text) != "done\n" {
		t.Errorf("%q, %v", text, err)
	}
	err = Follow(admin, []Change{{0, 0, 0}, {0, ms, -ms}, {-ms, ms, 0}})
	if err == nil || strings.Count(err.Error(), "want Holds above 0") != 3 {
		t.Errorf("%v, want three faults", err)
	}
}
