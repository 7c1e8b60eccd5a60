package httpgate

import (
	"context"
	"io"
	"net/http"
)

// answerBody is the body of an answer, whose request's context ends with it.
type answerBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Read ends the context once there is no more to come.
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.cancel(nil)
	}
	return n, err
}

// Close ends the context: after the body, so that it is closed as it was read.
func (b *answerBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// upgradedBody is that of an answer 101: the connection, which is written to as
// well, also after the other side has ended its part.
type upgradedBody struct {
	io.ReadWriteCloser
	cancel context.CancelCauseFunc
}

// Close ends the context.
func (b *upgradedBody) Close() error {
	defer b.cancel(nil)
	return b.ReadWriteCloser.Close()
}

// held returns a body with whose end the context of its request ends.
func held(body io.ReadCloser, cancel context.CancelCauseFunc) io.ReadCloser {
	if body == nil || body == http.NoBody {
		cancel(nil)
		return http.NoBody
	}
	if both, ok := body.(io.ReadWriteCloser); ok {
		return &upgradedBody{both, cancel}
	}
	return &answerBody{body, cancel}
}
