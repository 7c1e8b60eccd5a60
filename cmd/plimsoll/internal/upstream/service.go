package upstream

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// Service sends requests to the endpoints of one service. Make one with [New];
// it may be used concurrently.
type Service struct {
	name      string
	endpoints []*endpoint
	epoch     time.Time

	mu      sync.Mutex
	balance balance
}

// New returns a service without connections. The settings are those of
// [config.Load], without faults; the error names the files of its TLS that
// cannot be used.
func New(c config.Upstream) (*Service, error) {
	secure, err := loadTLS(c.TLS)
	if err != nil {
		return nil, fmt.Errorf("upstream %s: %w", c.Name, err)
	}
	s := &Service{name: c.Name, epoch: time.Now()}
	s.balance = balance{
		members:  make([]member, len(c.Endpoints)),
		ejection: c.Ejection,
		chance:   rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
	}
	for i, at := range c.Endpoints {
		s.endpoints = append(s.endpoints, newEndpoint(at, c, secure, func() { s.notConnected(i) }))
	}
	return s, nil
}

// RoundTrip sends a request, for which it has until its context ends. See
// [Service.Do].
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) { return s.Do(r, 0) }

// Do sends a request to an endpoint and returns the answer once its header is
// there. The scheme and host of r.URL are replaced; r itself stays as it is.
// The answer must begin within budget, which is counted from now and does not
// bound the rest of it; 0 or less: until the context of r ends.
//
// Every error is an *[Error].
func (s *Service) Do(r *http.Request, budget time.Duration) (*http.Response, error) {
	return newAttempt(s, r, false).within(budget, none)
}

// try sends a request, and once more elsewhere if no connection could be made.
func (s *Service) try(a *attempt, avoid int) (*http.Response, error) {
	resp, err := a.send(avoid)
	if err != nil && a.unsent(err) && len(s.endpoints) > 1 {
		resp, err = a.send(a.at)
	}
	if err != nil {
		a.fail()
		return nil, err
	}
	return resp, nil
}

// now is the time that the books are kept in.
func (s *Service) now() time.Duration { return time.Since(s.epoch) }

// pick chooses an endpoint for an attempt.
func (s *Service) pick(a *attempt, avoid int) *Error {
	now := s.now()
	s.mu.Lock()
	at, probe := s.balance.pick(now, avoid)
	var left time.Duration
	if at == none {
		left = s.balance.returns(now)
	}
	s.mu.Unlock()
	if at == none {
		return &Error{Kind: NoEndpoint, RetryAfter: left}
	}
	a.at, a.probe, a.started = at, probe, now
	return nil
}

// began notes that an answer has begun whose verdict comes at its end.
func (s *Service) began(a *attempt) {
	now := s.now()
	s.mu.Lock()
	s.balance.began(now, a.at, a.probe, now-a.started)
	s.mu.Unlock()
}

// record takes a verdict while the request is still in flight.
func (s *Service) record(a *attempt, v verdict) {
	now := s.now()
	s.mu.Lock()
	s.balance.record(now, a.at, a.probe, v)
	s.mu.Unlock()
}

// end takes a verdict and counts the request out.
func (s *Service) end(a *attempt, v verdict) {
	now := s.now()
	s.mu.Lock()
	s.balance.record(now, a.at, a.probe, v)
	s.balance.leave(a.at)
	s.mu.Unlock()
}

// notConnected notes that a connection could not be made. To an endpoint that
// is being probed that is the answer.
func (s *Service) notConnected(i int) {
	now := s.now()
	s.mu.Lock()
	s.balance.record(now, i, s.balance.members[i].probing, verdict{kind: failed})
	s.mu.Unlock()
}

// resent counts a request that net/http has sent again.
func (s *Service) resent(i int) {
	s.mu.Lock()
	s.balance.members[i].counts.Resends++
	s.mu.Unlock()
}

// Close closes the connections that carry nothing. What is under way ends as
// it would have.
func (s *Service) Close() {
	for _, e := range s.endpoints {
		e.close()
	}
}
