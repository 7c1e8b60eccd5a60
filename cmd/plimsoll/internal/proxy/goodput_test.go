package proxy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// slots is a backend of a few slots and an unbounded queue, which does not
// notice that a caller has left.
type slots struct {
	free    chan struct{}
	service time.Duration
}

func newSlots(n int, service time.Duration) *slots {
	return &slots{free: make(chan struct{}, n), service: service}
}

func (s *slots) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.free <- struct{}{}
	<-time.After(s.service)
	<-s.free
	_, _ = w.Write(make([]byte, 1000))
}

// Open-loop clients at twice the capacity, with deadlines from far too short
// to ample, a fifth of whom hang up at any moment: what they got in time, and
// what /metrics says that they got.
func TestGoodputIsWhatClientsCount(t *testing.T) {
	const (
		slotCount, service = 4, 20 * time.Millisecond // 200/s
		rate, clients      = 400, 1200
	)
	for name, limit := range map[string]int{"fixed": slotCount, "auto": 0} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && limit == 0 {
				t.Skip("one of the two will do")
			}
			r := start(t, newSlots(slotCount, service), func(c *config.Config) { c.Limit = limit })
			client := r.client()
			rng := rand.New(rand.NewPCG(3, 4))
			var good, hungUp, late, refused atomic.Int64
			var all sync.WaitGroup
			arrivals := time.NewTicker(time.Second / rate)
			defer arrivals.Stop()
			for range clients {
				timeout := time.Duration(15+rng.IntN(285)) * time.Millisecond
				patience := timeout
				leaves := rng.IntN(5) == 0
				if leaves {
					patience = time.Duration(rng.Int64N(int64(timeout)))
				}
				<-arrivals.C
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					ms := strconv.FormatInt(timeout.Milliseconds(), 10)
					a, err := fetch(client, r.request("/", "X-Request-Timeout-Ms", ms).WithContext(ctx))
					switch {
					case err == nil && a.StatusCode == 200:
						good.Add(1)
					case err == nil:
						refused.Add(1)
					case leaves:
						hungUp.Add(1)
					default:
						late.Add(1)
					}
				})
			}
			all.Wait()
			r.atRest()
			var reported, throughput float64
			m := r.metrics()
			for _, class := range []string{"CRITICAL_PLUS", "CRITICAL", "SHEDDABLE_PLUS", "SHEDDABLE"} {
				reported += m[fmt.Sprintf("plimsoll_goodput_total{class=%q}", class)]
				throughput += m[fmt.Sprintf("plimsoll_throughput_total{class=%q}", class)]
			}
			counted := float64(good.Load())
			t.Logf("clients: %v good, %d refused, %d hung up, %d late; /metrics: %v good, %v throughput, %v difference",
				counted, refused.Load(), hungUp.Load(), late.Load(), reported, throughput, reported/counted-1)
			if counted == 0 || hungUp.Load() == 0 || math.Abs(reported-counted) > 0.02*counted {
				t.Errorf("/metrics reports %v, clients counted %v", reported, counted)
			}
		})
	}
}
