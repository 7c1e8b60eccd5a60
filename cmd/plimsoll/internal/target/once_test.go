package target

import (
	"bufio"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	h2 "golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// unprocessed is a service that never looks at a call: HTTP/2 itself refuses it.
type unprocessed struct {
	refuse func(to *h2.Framer, stream uint32)
	early  bool          // as soon as its header is there, and not once all of it is
	calls  atomic.Int64  // how many have come
	known  chan struct{} // the client has read of a refusal
}

// serve answers on one connection.
func (u *unprocessed) serve(conn *net.TCPConn, from *bufio.Reader, _ int) {
	if _, err := from.Discard(len(h2.ClientPreface)); err != nil {
		return
	}
	f := h2.NewFramer(conn, from)
	if f.WriteSettings() != nil {
		return
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			u.known <- struct{}{}
			return
		}
		over := false
		switch frame := frame.(type) {
		case *h2.SettingsFrame:
			if !frame.IsAck() {
				_ = f.WriteSettingsAck()
			}
		case *h2.PingFrame:
			if frame.IsAck() {
				u.known <- struct{}{}
			}
		case *h2.HeadersFrame:
			u.calls.Add(1)
			over = u.early
		case *h2.DataFrame:
			over = frame.StreamEnded() && !u.early
		}
		if over {
			u.refuse(f, frame.Header().StreamID)
			_ = f.WritePing(false, [8]byte{}) // whose answer comes after it is read
		}
	}
}

// patientCodec holds a message back.
type patientCodec struct {
	bytesCodec
	until <-chan struct{}
}

func (c patientCodec) Marshal(v any) (mem.BufferSlice, error) {
	<-c.until
	return c.bytesCodec.Marshal(v)
}

// What a service has not looked at is not sent again by a library either, be it
// refused between its header and its message.
func TestNoCallIsSentTwice(t *testing.T) {
	refuse := func(to *h2.Framer, stream uint32) { _ = to.WriteRSTStream(stream, h2.ErrCodeRefusedStream) }
	leave := func(to *h2.Framer, _ uint32) { _ = to.WriteGoAway(0, h2.ErrCodeNo, nil) }
	refused := Answer{Outcome: openloop.Refused, Reason: refusedStream}
	closed := Answer{Outcome: openloop.Failed, Reason: failedClosed}
	for _, tt := range []struct {
		name   string
		early  bool
		refuse func(*h2.Framer, uint32)
		want   Answer
	}{
		{"REFUSED_STREAM", false, refuse, refused},
		{"GOAWAY", false, leave, closed},
		{"REFUSED_STREAM upon the header", true, refuse, refused},
		{"GOAWAY upon the header", true, leave, closed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rest(t)
			u := &unprocessed{refuse: tt.refuse, early: tt.early, known: make(chan struct{}, 10)}
			c := unaryClass("")
			to := dial(t, strings.Replace(raw(t, u.serve), "http://", "grpc://", 1), Options{}, c)
			call := to.(*service).calls[0]
			call.form.Store(new(form))
			if tt.early {
				call.options = append(call.options, grpc.ForceCodecV2(patientCodec{until: u.known}))
			}
			if a := to.Try(t.Context(), request(c), 1, long); a != tt.want {
				t.Errorf("%+v, want %+v", a, tt.want)
			}
			if n := u.calls.Load(); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}
