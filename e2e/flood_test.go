package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Header floods cost little memory, no slot, and end the connection or the
// stream; who comes after them is served.
func TestH11HeaderFloods(t *testing.T) {
	for name, flood := range map[string]func(net.Conn) error{
		"one_header_of_2MiB": func(conn net.Conn) error {
			return tooLarge(conn, "GET / HTTP/1.1\r\nHost: a\r\nX-Large: "+strings.Repeat("x", 2<<20)+"\r\n\r\n")
		},
		"100000_headers": func(conn net.Conn) error {
			var b strings.Builder
			b.WriteString("GET / HTTP/1.1\r\nHost: a\r\n")
			for range 100_000 {
				b.WriteString("A: b\r\n")
			}
			return tooLarge(conn, b.String()+"\r\n")
		},
		"one_header_of_2MiB_h2":    func(conn net.Conn) error { return continuations(conn, []int{2 << 20}, 1, true) },
		"100000_headers_h2":        func(conn net.Conn) error { return continuations(conn, ones(100_000), 1, true) },
		"CONTINUATION_without_end": func(conn net.Conn) error { return continuations(conn, ones(1000), 2000, true) },
		"empty_CONTINUATIONs":      func(conn net.Conn) error { return continuations(conn, nil, 100_000, false) },
	} {
		t.Run(name, func(t *testing.T) {
			r, h := before(t)
			rounds := 2
			if *long {
				rounds = 50
			}
			grown := r.grown(func() {
				for range rounds {
					if err := flood(r.dial()); err != nil {
						t.Fatal(err)
					}
				}
			})
			t.Logf("memory grew by %.1f MiB", float64(grown)/(1<<20))
			if grown > 20<<20 {
				t.Errorf("memory grew by %d MiB", grown>>20)
			}
			if n := h.Hits.Load(); n != 0 {
				t.Errorf("%d reached the service", n)
			}
			if n := r.metrics().Sum("plimsoll_arrivals_total"); n != 0 {
				t.Errorf("%v asked for a slot", n)
			}
			if err := of(r.get(t.Context(), r.client(false), "/work?ms=1")); err != nil {
				t.Errorf("who came after it: %v", err)
			}
		})
	}
}

func ones(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// tooLarge sends a header over HTTP/1.1, and expects 431 and the end of the
// connection, or its end alone: what is still sent then meets a reset.
func tooLarge(conn net.Conn, header string) error {
	defer conn.Close()
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(conn, header)
		sent <- err
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil {
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			return fmt.Errorf("answered %s", resp.Status)
		}
	}
	_ = conn.Close()
	<-sent
	return nil
}

// continuations sends headers of so many bytes each over HTTP/2, again and
// again in one block, and expects the end of the stream or of the connection;
// not if the block is left without its end.
func continuations(conn net.Conn, sizes []int, times int, end bool) error {
	defer conn.Close()
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return err
	}
	var block bytes.Buffer
	encode := hpack.NewEncoder(&block)
	write := func(name, value string) { _ = encode.WriteField(hpack.HeaderField{Name: name, Value: value}) } // to a buffer
	for _, p := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/"}} {
		write(p[0], p[1])
	}
	begin := bytes.Clone(block.Bytes())
	block.Reset()
	encode.SetMaxDynamicTableSize(0) // or the flood would be one byte a header
	for _, n := range sizes {
		write("x-large", strings.Repeat("x", n))
	}
	ended := make(chan error, 1)
	go func() { ended <- streamEnds(conn) }()
	err := sendBlock(http2.NewFramer(conn, nil), begin, block.Bytes(), times, end)
	if err == nil && !end {
		return nil // the server waits for more
	}
	return <-ended // also if the sending broke off
}

func sendBlock(f *http2.Framer, begin, block []byte, times int, end bool) error {
	if err := f.WriteSettings(); err != nil {
		return err
	}
	if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: begin, EndStream: true}); err != nil {
		return err
	}
	const most = 16 << 10
	for i := range times {
		rest := block
		for first := true; first || len(rest) > 0; first = false {
			n := min(len(rest), most)
			if err := f.WriteContinuation(1, end && i == times-1 && n == len(rest), rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
	}
	return nil
}

// streamEnds reads until the stream has been answered with 431 or reset, or
// the connection has ended.
func streamEnds(conn net.Conn) error {
	f := http2.NewFramer(io.Discard, conn)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return nil
		}
		switch frame := frame.(type) {
		case *http2.GoAwayFrame, *http2.RSTStreamFrame:
			return nil
		case *http2.MetaHeadersFrame:
			if s := frame.PseudoValue("status"); s != "431" {
				return fmt.Errorf("answered %s", s)
			}
			return nil
		}
	}
}
