package port

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// socket is a bound TCP port. It accepts no more than most connections at a
// time; others wait in the kernel's backlog, where they cost nothing here.
type socket struct {
	*net.TCPListener
	most  int           // 0: as many as come
	slots chan struct{} // a token for each connection; nil: there is no bound
	open  atomic.Int64
	rests rests

	header time.Duration // that a header has from its first byte on; 0: any
}

func listen(address string, most int) (*socket, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &socket{TCPListener: l.(*net.TCPListener), most: most}
	if most > 0 {
		s.slots = make(chan struct{}, most)
	}
	return s, nil
}

// session is a socket as one server sees it: closing it ends the server's
// accepting, and leaves the socket bound for the next.
type session struct {
	*socket
	once sync.Once
	over chan struct{}
}

// begin returns the socket for one server. The session before it must have
// ended, its Accept included.
func (s *socket) begin() (*session, error) {
	return &session{socket: s, over: make(chan struct{})}, s.SetDeadline(time.Time{})
}

// Accept waits for room, and then for a connection.
func (s *session) Accept() (net.Conn, error) {
	if s.slots != nil {
		select {
		case s.slots <- struct{}{}:
		case <-s.over:
			return nil, net.ErrClosed
		}
	}
	c, err := s.AcceptTCP()
	if err != nil {
		s.free()
		select {
		case <-s.over:
			return nil, net.ErrClosed
		default:
			return nil, err
		}
	}
	s.open.Add(1)
	return &connection{TCPConn: c, socket: s.socket, began: time.Now()}, nil
}

// Close ends the session. An error of the socket is left to who closes it.
func (s *session) Close() error {
	s.once.Do(func() {
		close(s.over)
		_ = s.SetDeadline(time.Unix(1, 0)) // wakes Accept
	})
	return nil
}

func (s *socket) free() {
	if s.slots != nil {
		<-s.slots
	}
}
