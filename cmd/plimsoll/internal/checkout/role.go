package checkout

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/plimsoll-go/plimsoll/ladder"
)

// The processes of the story.
const (
	roleStore   = "store"
	roleBefore  = "before"
	roleAfter   = "after"
	rolePricing = "pricing"
)

// Service is one of the processes of the story.
type Service struct {
	Role   string // what it is
	Behind string // the URL of what it calls
	Quotes bool   // a checkout whose page is a quote of the pricing service
}

// Run serves on a loopback port of its own, whose URL it prints, until its
// input ends.
func (s Service) Run(in io.Reader, out io.Writer) error {
	h, err := s.handler()
	if err != nil {
		return err
	}
	// The connections are loopback and short: probing them costs system calls
	// for each and finds nothing.
	config := net.ListenConfig{KeepAlive: -1}
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	if _, err := fmt.Fprintf(out, "http://%s/\n", l.Addr()); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = server.Close()
	}()
	if err := <-ended; err != http.ErrServerClosed {
		return err
	}
	return nil
}

func (s Service) handler() (http.Handler, error) {
	made := page
	if s.Quotes {
		made = quote
	}
	switch s.Role {
	case roleStore:
		return newStore(), nil
	case rolePricing:
		return newPricing(), nil
	case roleBefore:
		b := newBefore(s.Behind, made)
		return control(b, b.status, nil), nil
	case roleAfter:
		a, err := newAfter(s.Behind, made)
		if err != nil {
			return nil, err
		}
		return control(a, a.status, a), nil
	}
	return nil, fmt.Errorf("no such role: %s", s.Role)
}

// status is what a checkout says of itself.
type status struct {
	Pages   int64    // that were made
	Limit   int      // of those that are being made; 0: not found out by anything
	Waiting int      // in the gate's queue
	Tiers   []string // that are on
}

// control adds what the story asks of a checkout and tells it, beside what
// shoppers ask, and no gate before it.
func control(h http.Handler, seen func() status, a *after) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.HandleFunc("GET /-/status", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(seen())
	})
	mux.HandleFunc("POST /-/tier/{name}/{mode}", func(w http.ResponseWriter, r *http.Request) {
		mode := map[string]ladder.Mode{"auto": ladder.Auto, "on": ladder.On, "off": ladder.Off}[r.PathValue("mode")]
		if a == nil || !a.override(r.PathValue("name"), mode) {
			http.NotFound(w, r)
		}
	})
	return mux
}
