package proxy

import (
	"io"
	"net/http"
)

// passage is the answer to a request with a body on its way to the caller. It
// leads from the one to the other.
type passage struct {
	http.ResponseWriter
	body *pacedBody
}

// passageOf returns w as the writer for the answer to r, and what is to be
// called when r has been served.
func passageOf(w http.ResponseWriter, r *http.Request) (_ http.ResponseWriter, done func()) {
	body := pacedBodyOf(r.Body)
	if body == nil {
		return w, func() {}
	}
	body.serve()
	return &passage{w, body}, body.rest
}

// Unwrap is how http.ResponseController finds what else the server offers.
func (p *passage) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// slowUpload reports whether the body of the request that w answers has come
// too slowly.
func slowUpload(w http.ResponseWriter) bool {
	p, ok := w.(*passage)
	return ok && p.body.wasSlow()
}

// endWith has the connection end with the answer, unless the request is known
// to have arrived whole. Over HTTP/2 the stream ends by itself.
func endWith(w http.ResponseWriter, r *http.Request) {
	p, paced := w.(*passage)
	if r.ProtoMajor == 1 && r.ContentLength != 0 && !(paced && p.body.whole()) {
		w.Header().Set("Connection", "close")
	}
}

// pacedBodyOf is what is paced of a body; nil: it is not.
func pacedBodyOf(body io.ReadCloser) *pacedBody {
	for {
		if b, ok := body.(*pacedBody); ok {
			return b
		}
		inner, ok := body.(interface{ Unwrap() io.ReadCloser })
		if !ok {
			return nil
		}
		body = inner.Unwrap()
	}
}
