package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// counts are what came of everything that was sent.
type counts struct {
	offered, good, late, refused, failed atomic.Int64 // requests
	aborted                              atomic.Int64 // of them, by us
	sockets, echoes                      atomic.Int64
	calls, callsRefused, streams         atomic.Int64
	reloads, reloadsRefused, restarts    atomic.Int64
	broken                               atomic.Int64 // connections that stopped within a header
	misled                               atomic.Int64 // reloads whose result was not the right one
}

// load sends requests at a steady rate, whatever becomes of them.
func (p *play) load(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}
	defer client.CloseIdleConnections()
	var sending sync.WaitGroup
	defer sending.Wait()
	gap := time.Duration(float64(time.Second) / capacity / p.options.times)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for next := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for ; time.Since(next) >= 0; next = next.Add(gap) {
			sending.Go(func() { p.send(ctx, client) })
		}
	}
}

var criticalities = []string{"CRITICAL_PLUS", "CRITICAL", "SHEDDABLE_PLUS", "SHEDDABLE"}

var upload = make([]byte, 64<<10)

// send sends one request. A part of them bring a body, and a part are given up
// by their caller in the middle.
func (p *play) send(ctx context.Context, client *http.Client) {
	p.offered.Add(1)
	method, body := "GET", io.Reader(nil)
	switch n := rand.IntN(100); {
	case n < 2:
		method, body = "POST", bytes.NewReader(upload)
	case n < 5:
		p.aborted.Add(1)
		var leave context.CancelFunc
		ctx, leave = context.WithTimeout(ctx, rand.N(2*service))
		defer leave()
	}
	ctx, stop := context.WithTimeout(ctx, 4*deadline)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+p.files.listen+"/job", body)
	if err != nil {
		panic(err) // the address is ours
	}
	r.Header.Set("X-Request-Timeout-Ms", strconv.FormatInt(deadline.Milliseconds(), 10))
	r.Header.Set("X-Request-Criticality", criticalities[rand.IntN(len(criticalities))])
	began := time.Now()
	resp, err := client.Do(r)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	switch {
	case err != nil:
		p.failed.Add(1)
	case resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusGatewayTimeout:
		p.refused.Add(1)
	case resp.StatusCode != http.StatusOK:
		p.failed.Add(1)
	case time.Since(began) > deadline:
		p.late.Add(1)
	default:
		p.good.Add(1)
	}
}
