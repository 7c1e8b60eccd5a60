package e2e

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// attempts is a stats handler that keeps when each attempt of a call began and
// ended, and what pushback it ended with.
type attempts struct {
	lock     sync.Mutex
	began    []time.Time
	ended    []time.Time
	pushback []time.Duration
}

func (a *attempts) HandleRPC(_ context.Context, s stats.RPCStats) {
	a.lock.Lock()
	defer a.lock.Unlock()
	switch s := s.(type) {
	case *stats.Begin:
		a.began = append(a.began, time.Now())
	case *stats.InTrailer:
		var d time.Duration
		if v := s.Trailer.Get("grpc-retry-pushback-ms"); len(v) == 1 {
			ms, _ := strconv.Atoi(v[0])
			d = time.Duration(ms) * time.Millisecond
		}
		a.pushback = append(a.pushback, d)
	case *stats.End:
		a.ended = append(a.ended, time.Now())
	}
}

func (a *attempts) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (a *attempts) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (a *attempts) HandleConn(context.Context, stats.ConnStats)                       {}

// grpc-go's retry policy reads a refusal as one, and waits for as long as it
// says instead of its own, far shorter backoff.
func TestGRPCRetriesHonourThePushback(t *testing.T) {
	r := beforeGRPC(t, "--limit", "1", "--max-queue", "0", "--timeout", "30s")
	leave := occupyGRPC(r)
	seen := new(attempts)
	c := testgrpc.NewTestServiceClient(r.grpc(grpc.WithStatsHandler(seen), grpc.WithDefaultServiceConfig(`{"methodConfig": [{
		"name": [{}],
		"retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.001s", "maxBackoff": "0.002s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}
	}]}`)))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := c.EmptyCall(ctx, &testgrpc.Empty{}); status.Code(err) != codes.Unavailable {
		t.Fatalf("the call ended with %v", err)
	}
	if n := len(seen.began); n != 4 || len(seen.pushback) != 4 || len(seen.ended) != 4 {
		t.Fatalf("%d attempts, %d trailers, %d ends", n, len(seen.pushback), len(seen.ended))
	}
	for i, pushback := range seen.pushback[:3] {
		if pushback <= 2*time.Millisecond {
			t.Errorf("attempt %d: pushback %s", i+1, pushback)
		}
		if gap := seen.began[i+1].Sub(seen.ended[i]); gap < pushback-time.Millisecond {
			t.Errorf("attempt %d began %s after one with a pushback of %s", i+2, gap, pushback)
		}
	}
	if n := r.metrics().Sum("plimsoll_arrivals_total"); n != 5 {
		t.Errorf("%v arrived", n)
	}
	// With patience enough a retry finds the slot free.
	done := make(chan error, 1)
	go func() {
		_, err := c.EmptyCall(ctx, &testgrpc.Empty{})
		done <- err
	}()
	leave()
	if err := <-done; err != nil && status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
	if _, err := c.EmptyCall(ctx, &testgrpc.Empty{}); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
}
