package httpgate

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll"
)

// WantHeader is how a trusted caller asks for what answers do not say by
// themselves: a list of server-timing and load-report.
const WantHeader = "Plimsoll-Want"

// ServerTimingHeader has the durations q, the time in the queue, and up, from
// then until the answer began, in milliseconds (W3C Server Timing).
const ServerTimingHeader = "Server-Timing"

// wants is a set of what an answer is to say.
type wants uint8

const (
	wantTiming wants = 1 << iota
	wantLoad
)

// wanted reads a list of what is wanted.
func wanted(lines []string) (w wants) {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			switch strings.TrimSpace(part) {
			case "server-timing":
				w |= wantTiming
			case "load-report":
				w |= wantLoad
			}
		}
	}
	return w
}

// always is what every answer is to say.
func (c *Config) always() (w wants) {
	if c.ServerTiming {
		w |= wantTiming
	}
	if c.LoadReport {
		w |= wantLoad
	}
	return w
}

// tell returns what has to be known of an exchange that begins, nil where
// nothing is wanted.
func (h *handler) tell(a *arrival, t plimsoll.Ticket) *telling {
	if a.wants == 0 {
		return nil
	}
	out := &telling{wants: a.wants}
	if a.wants&wantTiming != 0 {
		out.waited, out.started = t.Waited(), time.Now()
	}
	if a.wants&wantLoad != 0 {
		out.load = h.load
	}
	return out
}

// telling is what has to be known of an exchange to say what is wanted.
type telling struct {
	wants   wants
	waited  time.Duration
	started time.Time // when the handler began
	load    *Load     // nil unless wanted
}

// begin writes what is wanted into the headers of an answer that begins. A
// report for gRPC belongs into trailers, unless the headers are all there is.
func (t *telling) begin(header http.Header, grpc bool) {
	if t.wants&wantTiming != 0 {
		header[ServerTimingHeader] = append(header[ServerTimingHeader], timings(t.waited, time.Since(t.started)))
	}
	if t.load != nil && (!grpc || trailersOnly(header)) {
		tellLoad(header, "", t.load, grpc)
	}
}

// finish writes what is left to be said when the handler has returned: to an
// answer that net/http makes of silence, and into the trailers of gRPC.
func (t *telling) finish(e *exchange) {
	header, grpc := e.w.Header(), isGRPC(e.outer)
	switch {
	case e.status == 0:
		t.begin(header, grpc)
	case grpc && t.load != nil && !trailersOnly(header):
		tellLoad(header, http.TrailerPrefix, t.load, true)
	}
}

// tellLoad adds a report, unless the answer has one of its origin: that is
// nearer to the work, and two would be an error to Envoy.
func tellLoad(header http.Header, prefix string, l *Load, grpc bool) {
	for _, name := range []string{LoadReportHeader, LoadReportBinHeader, http.TrailerPrefix + LoadReportHeader, http.TrailerPrefix + LoadReportBinHeader} {
		if _, there := header[name]; there {
			return
		}
	}
	if grpc {
		header[prefix+LoadReportBinHeader] = l.report().binary
	} else {
		header[prefix+LoadReportHeader] = l.report().text
	}
}

// trailersOnly reports whether an answer's headers are those of a Trailers-Only
// answer ("gRPC over HTTP2", Responses): they have the status of the call, and
// do not merely announce that trailers will.
func trailersOnly(header http.Header) bool {
	_, status := header["Grpc-Status"]
	return status && !hasToken(header["Trailer"], "grpc-status")
}

// timings writes two durations in milliseconds.
func timings(queue, upstream time.Duration) string {
	b := append(make([]byte, 0, 40), "q;dur="...)
	b = appendMillis(b, queue)
	b = append(b, ", up;dur="...)
	return string(appendMillis(b, upstream))
}

func appendMillis(b []byte, d time.Duration) []byte {
	ms := float64(max(d, 0).Round(time.Microsecond)) / float64(time.Millisecond)
	return strconv.AppendFloat(b, ms, 'f', -1, 64)
}
