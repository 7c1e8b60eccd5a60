package loadgen

import (
	"bytes"
	"errors"
	"io"
	"net"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// ServerCommand is what a program that calls Serve is started with.
const ServerCommand = "load-server"

const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"

// Serve listens on the loopback interface, announces it on out, and answers every
// request until in ends. It knows just enough of HTTP/1.1 for requests without a
// body.
func Serve(in io.Reader, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := process.Announce(out, l.Addr().String(), "none"); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = l.Close()
	}()
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return err
		}
		go converse(conn)
	}
}

// converse answers the requests of a connection: as many at once as have come.
func converse(conn net.Conn) {
	defer conn.Close()
	buf, n := make([]byte, 16<<10), 0
	var answers []byte
	for {
		m, err := conn.Read(buf[n:])
		if err != nil {
			return
		}
		n += m
		answers = answers[:0]
		rest := buf[:n]
		for {
			_, after, found := bytes.Cut(rest, []byte("\r\n\r\n"))
			if !found {
				break
			}
			answers, rest = append(answers, answer...), after
		}
		if n = copy(buf, rest); n == len(buf) {
			return // no header is so long
		}
		if len(answers) == 0 {
			continue
		}
		if _, err := conn.Write(answers); err != nil {
			return
		}
	}
}
