package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// conversation marks requests whose body goes on when their answer has begun.
// Over HTTP/1.1 the proxy cannot tell them from a sender who is too slow.
const conversation = "X-Conversation"

// beforeBoth is before, with a route for conversations.
func beforeBoth(t testing.TB, flags ...string) (*rig, *backend.HTTP) {
	t.Helper()
	h := new(backend.HTTP)
	at := addresses(t, 2)
	file := settings(t, at, fmt.Sprintf(`
version: 1
admin: ADMIN
listeners: [{address: "LISTEN"}]
upstreams: {web: {endpoints: ["http://%s"]}}
routes:
  - {name: conversations, match: {headers: {%s: "*"}}, stream: true}
  - {match: {path: /*}}
`, serve(t, h), conversation))
	return launch(t, at, append([]string{"--config", file}, flags...)...), h
}

// playAll plays protocols in calm, before a full gate and under overload.
func playAll(t *testing.T, protocols []protocol) {
	t.Run("calm", func(t *testing.T) {
		r, _ := beforeBoth(t)
		for _, p := range protocols {
			t.Run(p.name, func(t *testing.T) { calm(t, r, p) })
		}
		r.quiet()
	})
	t.Run("full", func(t *testing.T) {
		r, h := beforeBoth(t, "--limit", "1", "--max-queue", "0", "--timeout", "30s")
		for _, p := range protocols {
			t.Run(p.name, func(t *testing.T) { full(t, r, p, func() func() { return occupy(r, h) }) })
		}
		r.quiet()
	})
	t.Run("overload", func(t *testing.T) {
		r, _ := beforeBoth(t, "--limit", "4", "--max-wait", "100ms")
		load := begin(r, loadOf{limit: 4, service: 20 * time.Millisecond, times: 3})
		for _, p := range protocols {
			t.Run(p.name, func(t *testing.T) { persist(t, r, p, 2) })
		}
		load.check(t)
		r.quiet()
	})
}

// calm does several exchanges, none of which may be refused.
func calm(t *testing.T, r *rig, p protocol) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := p.client(&rig{t, r.Process, r.url})
	for i := range 3 {
		if err := client(ctx); err != nil {
			t.Fatalf("exchange %d: %v", i+1, err)
		}
	}
}

// full does exchanges while the only slot is taken, which have to be refused,
// and one when it has been given back.
func full(t *testing.T, r *rig, p protocol, occupy func() (leave func())) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := p.client(&rig{t, r.Process, r.url})
	leave := occupy()
	for i := range 2 {
		err := client(ctx)
		if ref := new(refused); !errors.As(err, &ref) {
			t.Errorf("exchange %d: %v", i+1, err)
		}
	}
	leave()
	if err := client(ctx); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
}

// occupy takes the only slot. The function that it returns gives it back.
func occupy(r *rig, h *backend.HTTP) (leave func()) {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	hits := h.Hits.Load()
	r.until("the gate is at rest", func() bool { n, _, streams := r.metrics().Busy(); return n+streams == 0 })
	go func() {
		defer close(gone)
		_, _ = r.get(ctx, r.client(false), "/work?ms=60000") // it is cancelled
	}()
	r.until("the slot is taken", func() bool { return h.Hits.Load() > hits })
	return func() {
		r.Helper()
		cancel()
		<-gone
		r.until("the slot is free", func() bool { n, _, streams := r.metrics().Busy(); return n+streams == 0 })
	}
}

// persist repeats an exchange until it has succeeded so many times. All
// between have to be whole refusals.
func persist(t *testing.T, r *rig, p protocol, times int) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := p.client(&rig{t, r.Process, r.url})
	refusals := 0
	for done := 0; done < times; {
		err := client(ctx)
		if ref := new(refused); errors.As(err, &ref) {
			if refusals++; refusals > 1000 {
				t.Fatalf("refused %d times: %v", refusals, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		done++
	}
}
