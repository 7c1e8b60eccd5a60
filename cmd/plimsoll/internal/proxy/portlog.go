package proxy

import (
	"context"
	"log/slog"
	"time"
)

// portLines is how many lines a second a port's server has in the log: of
// handshakes that fail, above all. Whoever connects may cause as many as he
// likes.
const portLines = 10

// bounded is a handler of log lines that lets so many a second through, and
// says with the next one how many it has left out.
type bounded struct {
	slog.Handler
	lines *lines
	most  int64
}

// Handle writes a line or leaves it out.
func (b bounded) Handle(ctx context.Context, r slog.Record) error {
	leftOut, ok := b.lines.take(time.Now(), b.most)
	if !ok {
		return nil
	}
	if leftOut > 0 {
		r.AddAttrs(slog.Int64("left_out", leftOut))
	}
	return b.Handler.Handle(ctx, r)
}

// WithAttrs is the same with attributes; the bound is that of all.
func (b bounded) WithAttrs(attrs []slog.Attr) slog.Handler {
	b.Handler = b.Handler.WithAttrs(attrs)
	return b
}

// WithGroup is the same in a group.
func (b bounded) WithGroup(name string) slog.Handler {
	b.Handler = b.Handler.WithGroup(name)
	return b
}

// portLog is the log of one port.
func portLog(log *slog.Logger) *slog.Logger {
	return slog.New(bounded{log.Handler(), new(lines), portLines})
}
