package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// callers are the open connections to one server.
type callers struct{ conns []net.Conn }

func (c *callers) do(o Order) error {
	for len(c.conns) < Connections {
		conn, err := net.DialTimeout("tcp", o.Addr, 10*time.Second)
		if err != nil {
			return err
		}
		c.conns = append(c.conns, conn)
	}
	faults := make([]error, Connections)
	var wg sync.WaitGroup
	for i, conn := range c.conns {
		wg.Go(func() { faults[i] = call(conn, o) })
	}
	wg.Wait()
	return errors.Join(faults...)
}

// call sends o.Each requests, each when the answer to the one before is there.
func call(conn net.Conn, o Order) error {
	request, answers := []byte(o.Request), bufio.NewReader(conn)
	for range o.Each {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		r, err := http.ReadResponse(answers, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return err
		}
		r.Body.Close()
		if r.StatusCode != o.Status {
			return fmt.Errorf("status %d, not %d", r.StatusCode, o.Status)
		}
	}
	return nil
}

func (c *callers) close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}
