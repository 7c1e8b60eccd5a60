package backend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// Change is what a backend does to itself some time after its first request.
type Change struct {
	After time.Duration
	Holds time.Duration // what a job that begins from then on holds its slot for
	Delay time.Duration // what an answer takes from then on when its job is done; no slot is held for it
}

// service is slots as a service over HTTP.
type service struct {
	*Slots
	delay   atomic.Int64 // nanoseconds
	changes atomic.Pointer[[]Change]
}

// ServeHTTP answers when a job is done. When the caller leaves, it returns, so
// that departed callers hold no descriptors; the job stays.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.changes.Load() != nil {
		s.begin()
	}
	if s.Slots.Serve(r.Context()) != nil {
		return
	}
	if d := time.Duration(s.delay.Load()); d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.Context().Done():
			return
		}
	}
	_, _ = io.WriteString(w, "done\n")
}

// begin has the changes follow, once.
func (s *service) begin() {
	changes := s.changes.Swap(nil)
	if changes == nil {
		return
	}
	for _, c := range *changes {
		time.AfterFunc(c.After, func() {
			s.service.Store(int64(c.Holds))
			s.delay.Store(int64(c.Delay))
		})
	}
}

// control is how a running backend is told what it will do.
func (s *service) control(w http.ResponseWriter, r *http.Request) {
	var changes []Change
	err := json.NewDecoder(r.Body).Decode(&changes)
	for _, c := range changes {
		if c.After < 0 || c.Holds <= 0 || c.Delay < 0 {
			err = errors.Join(err, fmt.Errorf("%+v: want Holds above 0, and nothing below", c))
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.changes.Store(&changes)
}

// Serve runs slots as a service on loopback ports until in ends; its
// control takes what it is to do to itself ([Follow]). It announces its address
// and that of its control on out.
func Serve(slots int, holds time.Duration, in io.Reader, out io.Writer) error {
	s := &service{Slots: NewSlots(slots, holds)}
	front, err := listen(s)
	if err != nil {
		return err
	}
	admin, err := listen(http.HandlerFunc(s.control))
	if err != nil {
		return errors.Join(err, front.close())
	}
	err = process.Announce(out, front.address, admin.address)
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	return errors.Join(err, front.close(), admin.close())
}

type server struct {
	*http.Server
	address string
}

func listen(h http.Handler) (*server, error) {
	// The connections are loopback and short: probing them costs system calls
	// for each and finds nothing.
	l, err := (&net.ListenConfig{KeepAlive: -1}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{&http.Server{Handler: h, ReadHeaderTimeout: time.Minute}, l.Addr().String()}
	go func() { _ = s.Serve(l) }() // until it is closed; who asks sees it when it is not there
	return s, nil
}

func (s *server) close() error { return s.Close() }

// Follow tells a running backend, by the address of its control, what it does
// to itself from its next request on.
func Follow(admin string, changes []Change) error {
	text, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	resp, err := http.Post("http://"+admin, "application/json", bytes.NewReader(text))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	why, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the backend: %s", why)
	}
	return err
}
