package grpcgate

import (
	"context"
	"sync"

	"google.golang.org/grpc"

	"github.com/plimsoll-go/plimsoll"
)

// moment is when a call leaves its slot.
type moment uint8

const (
	never moment = iota
	atSend
	atReceive
)

func leavesWhen(h Hold, info *grpc.StreamServerInfo) moment {
	switch {
	case h == HoldToEnd, h == HoldAuto && !info.IsServerStream:
		return never
	case info.IsServerStream:
		return atSend
	}
	return atReceive
}

// serverStream is a handler's stream. It leaves its slot with its first message.
type serverStream struct {
	grpc.ServerStream
	ctx    context.Context
	leaves moment

	// A message may come in while one goes out, and what handlers start may
	// outlive them: after the end nothing touches the ticket.
	mu       sync.Mutex
	ticket   plimsoll.Ticket
	left     bool // its moment has come
	detached bool
	over     bool
}

// Context is the handler's.
func (s *serverStream) Context() context.Context { return s.ctx }

// SendMsg leaves the slot before the first message goes out: what it waits for
// from there on is its caller.
func (s *serverStream) SendMsg(m any) error {
	if s.leaves == atSend {
		s.leave()
	}
	return s.ServerStream.SendMsg(m)
}

// RecvMsg leaves the slot when the first message has come in.
func (s *serverStream) RecvMsg(m any) error {
	err := s.ServerStream.RecvMsg(m)
	if s.leaves == atReceive && err == nil {
		s.leave()
	}
	return err
}

func (s *serverStream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left && !s.over {
		s.left = true
		s.detached = s.ticket.Detach()
	}
}

// finish tells c how it went. Nothing leaves after it.
func (s *serverStream) finish(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	c.leaving, c.detached = s.left, s.detached
}
