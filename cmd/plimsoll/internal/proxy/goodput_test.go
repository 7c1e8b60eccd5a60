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

	"github.com/plimsoll-go/plimsoll/class"
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

// The load of TestGoodputIsWhatClientsCount: twice the capacity, with deadlines
// from far too short to ample, and a fifth who hang up at any moment.
const (
	slotCount   = 4
	serviceTime = 20 * time.Millisecond // 4 slots: 200/s
	rate        = 400
	clients     = 1200
)

// tally is how the clients fared.
type tally struct{ good, hungUp, late, refused atomic.Int64 }

// What clients got in time, and what /metrics says that they got. On a machine
// that is too busy, clients notice their answers late by more than their
// deadlines are apart; it gets three tries.
func TestGoodputIsWhatClientsCount(t *testing.T) {
	for name, limit := range map[string]int{"fixed": slotCount, "auto": 0} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && limit == 0 {
				t.Skip("one of the two will do")
			}
			for try := 1; ; try++ {
				counted, reported := goodput(t, limit)
				if math.Abs(reported-counted) <= 0.02*counted {
					return
				}
				if try == 3 {
					t.Fatalf("/metrics reports %v, clients counted %v", reported, counted)
				}
			}
		})
	}
}

// goodput plays the load and returns what the clients counted and what
// /metrics reports.
func goodput(t *testing.T, limit int) (counted, reported float64) {
	t.Helper()
	r := start(t, newSlots(slotCount, serviceTime), func(c *config.Config) { c.Gates[0].Limit = limit })
	client := r.client()
	rng := rand.New(rand.NewPCG(3, 4))
	var n tally
	var all sync.WaitGroup
	arrivals := time.NewTicker(time.Second / rate)
	defer arrivals.Stop()
	for range clients {
		timeout := time.Duration(15+rng.IntN(485)) * time.Millisecond
		stays := timeout
		if rng.IntN(5) == 0 {
			stays = time.Duration(rng.Int64N(int64(timeout)))
		}
		<-arrivals.C
		all.Go(func() { n.ask(t, r, client, timeout, stays) })
	}
	all.Wait()
	r.atRest()
	var throughput float64
	m := r.metrics()
	for _, c := range class.All() {
		reported += m[fmt.Sprintf("plimsoll_goodput_total{class=%q,gate=\"upstream\"}", c)]
		throughput += m[fmt.Sprintf("plimsoll_throughput_total{class=%q,gate=\"upstream\"}", c)]
	}
	counted = float64(n.good.Load())
	t.Logf("clients: %v good, %d refused, %d hung up, %d late; /metrics: %v good of %v answered: %+.2f %%",
		counted, n.refused.Load(), n.hungUp.Load(), n.late.Load(), reported, throughput, 100*(reported/counted-1))
	if counted == 0 || n.hungUp.Load() == 0 || n.refused.Load() == 0 {
		t.Error("the load is not what it should be")
	}
	return counted, reported
}

// ask is one client.
func (n *tally) ask(t *testing.T, r *rig, client *http.Client, timeout, stays time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), stays)
	defer cancel()
	ms := strconv.FormatInt(timeout.Milliseconds(), 10)
	a, err := fetch(client, r.request("/", "X-Request-Timeout-Ms", ms).WithContext(ctx))
	switch {
	case err == nil && a.StatusCode == http.StatusOK:
		n.good.Add(1)
	case err == nil:
		n.refused.Add(1)
	case stays < timeout:
		n.hungUp.Add(1)
	default:
		n.late.Add(1)
	}
}
