package backend

import (
	"io"
	"math/rand/v2"
	"sync/atomic"
)

// NewBytes reads bytes without end that look random and are always the same.
func NewBytes() io.Reader { return rand.NewChaCha8([32]byte{}) }

// counting counts what was written.
type counting struct {
	io.Writer
	n *atomic.Int64
}

func (c counting) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n.Add(int64(n))
	return n, err
}
