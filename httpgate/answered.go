package httpgate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// answered is an answer, and what ends its context. The zero value is none.
type answered struct {
	*http.Response
	cancel context.CancelCauseFunc
}

// maxDropped and dropWithin are how much of an answer is read for the sake of
// its connection, and for how long.
const (
	maxDropped = 64 << 10
	dropWithin = 50 * time.Millisecond
)

// drop is done with the answer of an attempt that is not the last.
func (a answered) drop() {
	if a.Response == nil {
		return
	}
	if a.ContentLength <= maxDropped {
		timer := time.AfterFunc(dropWithin, func() { a.cancel(nil) })
		io.CopyN(io.Discard, a.Body, maxDropped)
		timer.Stop()
	}
	a.Body.Close()
}

// errCut is what reading on ends with in an answer that was not kept whole.
var errCut = errors.New("httpgate: the rest of the answer was dropped in the wait for another attempt")

// keep reads the answer of an attempt after which there is to be another, and
// closes it. It stays readable: there may be none after all.
func (a answered) keep() {
	if a.Response == nil {
		return
	}
	var read []byte
	end := errCut
	if a.ContentLength <= maxDropped {
		timer := time.AfterFunc(dropWithin, func() { a.cancel(errCut) })
		var err error
		read, err = io.ReadAll(io.LimitReader(a.Body, maxDropped+1))
		if timer.Stop() && len(read) <= maxDropped {
			end = cmp.Or(err, io.EOF)
		}
	}
	a.Body.Close()
	a.Body = &kept{bytes.NewReader(read[:min(len(read), maxDropped)]), end}
}

// kept is what there is of a body, and what it ends with.
type kept struct {
	read *bytes.Reader
	end  error
}

// Read reads what there is.
func (k *kept) Read(p []byte) (int, error) {
	n, err := k.read.Read(p)
	if err == io.EOF {
		err = k.end
	}
	return n, err
}

// Close does nothing: the connection is gone.
func (*kept) Close() error { return nil }
