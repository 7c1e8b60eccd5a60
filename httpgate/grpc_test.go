package httpgate

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
)

func grpcRequest(t testing.TB, url string) *http.Request {
	r := request(t, "POST", url+"/shop.Orders/Place", nil)
	r.Header.Set("Content-Type", "application/grpc+proto")
	r.Header.Set("Te", "trailers")
	return r
}

func TestGRPCRefusalByReason(t *testing.T) {
	for _, tc := range []struct {
		reason   plimsoll.Reason
		after    time.Duration
		code     int
		pushback string
	}{
		{plimsoll.QueueFull, 250 * time.Millisecond, 14, "250"},
		{plimsoll.Evicted, 0, 14, ""},
		{plimsoll.Draining, 0, 14, ""},
		{plimsoll.Expired, 0, 4, ""},
		{plimsoll.Hopeless, time.Second, 4, ""},
		{plimsoll.Cancelled, 0, 1, ""},
	} {
		r := httptest.NewRequest("POST", "/shop.Orders/Place", nil)
		r.ProtoMajor = 2
		r.Header.Set("Content-Type", "application/grpc")
		w := httptest.NewRecorder()
		refuser(Config{StatusFull: 429}).refuse(w, r, nil, &plimsoll.Refusal{Reason: tc.reason, RetryAfter: tc.after}, 0)
		h := w.Result().Header
		if w.Code != 200 || h.Get("Content-Type") != "application/grpc" || w.Body.Len() > 0 {
			t.Errorf("%v: %d, %s, body %q", tc.reason, w.Code, h.Get("Content-Type"), w.Body)
		}
		if h.Get("Grpc-Status") != strconv.Itoa(tc.code) || h.Get("Grpc-Retry-Pushback-Ms") != tc.pushback {
			t.Errorf("%v: code %s, pushback %q", tc.reason, h.Get("Grpc-Status"), h.Get("Grpc-Retry-Pushback-Ms"))
		}
		if want := "plimsoll: refused: " + tc.reason.String(); h.Get("Grpc-Message") != want {
			t.Errorf("%v: message %q", tc.reason, h.Get("Grpc-Message"))
		}
	}
}

func TestGRPCIsToldApart(t *testing.T) {
	for _, tc := range []struct {
		proto       int
		contentType string
		want        bool
	}{
		{2, "application/grpc", true}, {2, "application/grpc+proto", true}, {2, "application/grpc;charset=x", true},
		{2, "Application/gRPC+json", true}, {1, "application/grpc", false}, {2, "application/grpc-web", false},
		{2, "application/grpcx", false}, {2, "application/json", false}, {2, "", false},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.ProtoMajor = tc.proto
		r.Header.Set("Content-Type", tc.contentType)
		if got := isGRPC(r); got != tc.want {
			t.Errorf("HTTP/%d %q: %t", tc.proto, tc.contentType, got)
		}
	}
}

// A refused call is one HEADERS frame that ends the stream, on the wire.
func TestGRPCRefusalIsTrailersOnly(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
	r := serve(t, g, Handler(g, ok))
	free := occupy(t, g, 1)
	defer free()

	resp, body := get(t, r.client("h2"), grpcRequest(t, r.srv.URL))
	if resp.StatusCode != 200 || body != "" || resp.Header.Get("Grpc-Status") != "14" {
		t.Errorf("%s, body %q, %v", resp.Status, body, resp.Header)
	}

	c := r.raw()
	c.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "") + frame(1, 0x4, 1, fields(
		":method", "POST", ":scheme", "http", ":path", "/shop.Orders/Place", ":authority", "localhost",
		"content-type", "application/grpc", "te", "trailers")))
	var got []string
	for len(got) == 0 || got[len(got)-1] != "RST_STREAM" {
		kind, flags, stream := c.frame()
		if stream != 1 {
			continue
		}
		switch kind {
		case 1:
			got = append(got, fmt.Sprintf("HEADERS end=%t", flags&0x1 != 0))
		case 3:
			got = append(got, "RST_STREAM")
		default:
			got = append(got, fmt.Sprintf("frame of type %d", kind))
		}
	}
	// The body was not read: net/http tells the client not to send it
	// (RFC 9113 8.1) with the code NO_ERROR.
	if len(got) != 2 || got[0] != "HEADERS end=true" {
		t.Errorf("on the stream: %v", got)
	}
}

// frame is one of HTTP/2 (RFC 9113 4.1).
func frame(kind, flags byte, stream uint32, payload string) string {
	n := len(payload)
	b := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags}
	return string(binary.BigEndian.AppendUint32(b, stream)) + payload
}

// fields is a header block of literals without indexing (RFC 7541 6.2.2).
func fields(pairs ...string) string {
	var b []byte
	for i, s := range pairs {
		if i%2 == 0 {
			b = append(b, 0)
		}
		b = append(append(b, byte(len(s))), s...)
	}
	return string(b)
}

// frame reads one and drops its payload.
func (c *rawConn) frame() (kind, flags byte, stream uint32) {
	c.t.Helper()
	var head [9]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.r.Discard(int(head[0])<<16 | int(head[1])<<8 | int(head[2])); err != nil {
		c.t.Fatal(err)
	}
	return head[3], head[4], binary.BigEndian.Uint32(head[5:])
}

// How a call ended is in its trailers; its HTTP status is 200 whatever
// happened.
func TestGRPCOutcomes(t *testing.T) {
	for _, tc := range []struct {
		code string
		want plimsoll.Outcome
	}{
		{"0", plimsoll.Success}, {"5", plimsoll.Success}, {"16", plimsoll.Success},
		{"14", plimsoll.Overloaded}, {"8", plimsoll.Overloaded}, {"4", plimsoll.TimedOut}, {"1", plimsoll.Abandoned},
		{"2", plimsoll.Failed}, {"13", plimsoll.Failed}, {"15", plimsoll.Failed}, {"x", plimsoll.Failed},
		{"99999999999999999999", plimsoll.Failed}, {"", plimsoll.Success},
	} {
		for _, prefix := range []string{"", http.TrailerPrefix} {
			g := fixed(t, 1, plimsoll.Config{})
			r := serve(t, g, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/grpc")
				if prefix == "" {
					w.Header().Set("Trailer", "Grpc-Status")
				}
				io.WriteString(w, "message")
				if tc.code != "" {
					w.Header().Set(prefix+"Grpc-Status", tc.code)
				}
			})))
			resp, _ := get(t, r.client("h2"), grpcRequest(t, r.srv.URL))
			if got := resp.Trailer.Get("Grpc-Status"); got != tc.code {
				t.Errorf("trailer %q, want %q", got, tc.code)
			}
			wantOutcomes(t, g, map[plimsoll.Outcome]uint64{tc.want: 1})
			r.close()
		}
	}
}
