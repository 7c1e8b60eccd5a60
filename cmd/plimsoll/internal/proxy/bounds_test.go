package proxy

import (
	"os"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/admin"
	"net/http"
)

// The chain of bounds is that of what is in force, with what is used of it.
func TestBoundsOfTheRunningProxy(t *testing.T) {
	backend := newStuck()
	r := play(t, "\nupstreams: {shop: {endpoints: [http://shop]}}\ngates: {shop: {limit: 7}}\n", map[string]http.Handler{"shop": backend})
	results := r.fill(2, "/", backend)
	ask := func() (limit, used float64, from string) {
		port, err := admin.Parse(r.AdminAddr())
		if err != nil {
			t.Fatal(err)
		}
		chain, err := port.Bounds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if now := chain.Reading; !chain.Live || now.Process != os.Getpid() || len(now.Listeners) != 1 || now.Listeners[0].Connections != 2 {
			t.Errorf("%+v", now)
		}
		for _, b := range chain.Bounds {
			if b.Name == "requests in flight" && b.Hop == "gate shop" {
				return *b.InForce, *b.Used, b.From
			}
		}
		t.Fatalf("no limit among %+v", chain.Bounds)
		return
	}
	if limit, used, from := ask(); limit != 7 || used != 2 || from != r.file+":4" {
		t.Errorf("limit %v, used %v, from %s", limit, used, from)
	}
	r.reload("\n\nupstreams: {shop: {endpoints: [http://shop]}}\ngates: {shop: {limit: 9}}\n")
	if limit, used, from := ask(); limit != 9 || used != 2 || from != r.file+":5" {
		t.Errorf("reloaded: limit %v, used %v, from %s", limit, used, from)
	}
	close(backend.let)
	r.drained(results, 2, 200)
}
