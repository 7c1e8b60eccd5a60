package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Over HTTP/2 an upload that is refused before its end has its answer whole, and
// only then the reset with NO_ERROR by which RFC 9113 8.1 has it sent no further.
func TestARefusedUploadIsAnsweredBeforeItIsReset(t *testing.T) {
	r, h := before(t, "--limit", "1", "--max-queue", "0", "--timeout", "30s")
	leave := occupy(r, h)
	for i := range 50 {
		if err := refusedUpload(r.Listen); err != nil {
			t.Fatalf("upload %d: %v", i+1, err)
		}
	}
	leave()
	r.quiet()
}

// refusedUpload begins an upload and reads what its stream is answered with.
func refusedUpload(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if err := beginUpload(conn); err != nil {
		return err
	}
	f := http2.NewFramer(io.Discard, conn)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	said, length, ended := "", 0, false
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return err
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			said, ended = frame.PseudoValue("status"), frame.StreamEnded()
			for _, field := range frame.Fields {
				if field.Name == "content-length" {
					length, err = strconv.Atoi(field.Value)
				}
			}
			if err != nil {
				return err
			}
		case *http2.DataFrame:
			length, ended = length-len(frame.Data()), frame.StreamEnded()
		case *http2.RSTStreamFrame:
			if said != "503" || length != 0 || !ended || frame.ErrCode != http2.ErrCodeNo {
				return fmt.Errorf("answered %s, %d bytes short, ended %t, reset with %v", said, length, ended, frame.ErrCode)
			}
			return nil
		}
	}
}

// beginUpload sends a request and as much of its body as a window of HTTP/2 has
// room for when a connection begins.
func beginUpload(conn net.Conn) error {
	var block bytes.Buffer
	encode := hpack.NewEncoder(&block)
	for _, p := range [][2]string{{":method", "PUT"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/sum"}} {
		_ = encode.WriteField(hpack.HeaderField{Name: p[0], Value: p[1]}) // to a buffer
	}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return err
	}
	f := http2.NewFramer(conn, nil)
	if err := f.WriteSettings(); err != nil {
		return err
	}
	if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true}); err != nil {
		return err
	}
	for range 3 {
		if err := f.WriteData(1, false, make([]byte, 16<<10)); err != nil {
			return err
		}
	}
	return nil
}
