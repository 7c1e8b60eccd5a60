package live

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A closed loop has so many callers for each slot: a moment in which none of
// them gets to run must not leave a slot idle.
const loopCallers = 8

// warm is how long a closed loop runs before it counts.
const warm = 300 * time.Millisecond

// capacity is what a service can answer in a second: a closed loop of callers
// that keeps its slots busy. They begin one after the other over the time of
// so many jobs, or they would stay in step.
func capacity(ctx context.Context, address string, slots int, service, length time.Duration) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, warm+length)
	defer cancel()
	n := loopCallers * slots
	via := &http.Transport{MaxIdleConnsPerHost: n, DisableCompression: true}
	defer via.CloseIdleConnections()
	var mu sync.Mutex
	var ended []time.Time
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			pause(ctx, time.Duration(i)*service/time.Duration(slots))
			for ctx.Err() == nil {
				if ask(ctx, via, address) == nil {
					mu.Lock()
					ended = append(ended, time.Now())
					mu.Unlock()
				}
			}
		})
	}
	pause(ctx, warm)
	mu.Lock()
	ended = nil
	mu.Unlock()
	all.Wait()
	return rate(ended)
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func ask(ctx context.Context, via http.RoundTripper, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/", nil)
	if err != nil {
		return err
	}
	resp, err := via.RoundTrip(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// rate is the median over all pairs of times that are half of them apart: a
// machine that is busy with something else holds answers back and then lets
// them go together, which moves single pairs far.
func rate(times []time.Time) (float64, error) {
	half := len(times) / 2
	var gaps []time.Duration
	for i := range len(times) - half {
		gaps = append(gaps, times[i+half].Sub(times[i]))
	}
	slices.Sort(gaps)
	if half == 0 || gaps[len(gaps)/2] <= 0 {
		return 0, errors.New("the service answered nobody")
	}
	return float64(half) / gaps[len(gaps)/2].Seconds(), nil
}
