package trace

import (
	"bufio"
	"errors"
	"io"
)

// MaxLine is how many bytes a line may have. More than that is never held.
const MaxLine = 64 << 10

// lines reads a text line by line.
type lines struct {
	r *bufio.Reader
	n int // of the line, from 1
}

var errLong = errors.New("the line is too long")

// next returns the next line without its end, valid until the call after. The
// error is errLong for a line that has been skipped, io.EOF, or the reader's.
func (l *lines) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	long := false
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		_, err = l.r.ReadSlice('\n')
	}
	if err != nil && !(errors.Is(err, io.EOF) && (len(line) > 0 || long)) {
		return nil, err
	}
	l.n++
	if long {
		return nil, errLong
	}
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > MaxLine {
		return nil, errLong
	}
	if l.n == 1 && len(line) >= 3 && string(line[:3]) == "\ufeff" {
		line = line[3:]
	}
	return line, nil
}
