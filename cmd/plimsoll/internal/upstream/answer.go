package upstream

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

var errStatus = errors.New("a status that has no place")

// answer takes the header of an answer. An error means that it cannot be
// passed on; it has been closed then.
func (a *attempt) answer(resp *http.Response) error {
	if code := resp.StatusCode; code > 599 || code < 200 && (code != http.StatusSwitchingProtocols || !a.switches(resp)) {
		_ = resp.Body.Close() // the status is the error to report
		return fmt.Errorf("%w here: %d", errStatus, code)
	}
	if e := a.service.endpoints[a.at]; resp.ProtoMajor == 2 && !e.http2.Load() {
		e.http2.Store(true)
	}
	a.resp, a.body = resp, resp.Body
	v, known := verdict{kind: good}, false
	if resp.StatusCode >= 400 || a.grpc {
		v, known = judge(resp, a.grpc, a.late(), time.Now())
	}
	a.judged = known
	if known {
		a.service.record(a, v)
	} else {
		a.service.began(a)
	}
	switch {
	case resp.Body == http.NoBody:
		a.end(verdict{kind: good})
	case resp.StatusCode == http.StatusSwitchingProtocols:
		if rw, ok := resp.Body.(io.ReadWriteCloser); ok {
			resp.Body = &tunnel{(*answerBody)(a), rw}
		}
	default:
		resp.Body = (*answerBody)(a)
	}
	return nil
}

// switches reports whether an answer switches to the protocol that the request
// asked for. httputil.ReverseProxy does not close what switches to another.
func (a *attempt) switches(resp *http.Response) bool {
	asked := a.outer.Header.Get("Upgrade")
	return asked != "" && strings.EqualFold(asked, resp.Header.Get("Upgrade"))
}

// end counts the request out, once.
func (a *attempt) end(v verdict) {
	if a.over.Swap(true) {
		return
	}
	if a.judged {
		v = verdict{}
	}
	a.service.end(a, v)
	a.close()
}

// answerBody is an attempt as the body of its answer, which says when it ends
// and how.
type answerBody attempt

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if err != nil {
		(*attempt)(b).ended(err)
	}
	return n, err
}

// Close before the end is the caller's doing and says nothing.
func (b *answerBody) Close() error {
	err := b.body.Close()
	(*attempt)(b).end(verdict{})
	return err
}

// ended judges the end of a body.
func (a *attempt) ended(err error) {
	switch {
	case err == io.EOF:
		v := verdict{kind: good}
		if status := a.resp.Trailer["Grpc-Status"]; len(status) > 0 && a.grpc {
			v = judgeGRPC(a.resp.Trailer, time.Now())
		}
		a.end(v)
	case a.ctx.Err() != nil:
		a.end(verdict{})
	default:
		a.end(verdict{kind: failed})
	}
}

// tunnel is the body of an answer that switches protocols.
type tunnel struct {
	*answerBody
	conn io.ReadWriteCloser
}

func (t *tunnel) Write(p []byte) (int, error) { return t.conn.Write(p) }

// CloseWrite ends one direction.
func (t *tunnel) CloseWrite() error {
	if c, ok := t.conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return http.ErrNotSupported
}
