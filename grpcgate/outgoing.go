package grpcgate

import (
	"context"
	"maps"
	"net/textproto"
	"sync"

	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// writer writes into metadata what is known of a call. It may be used
// concurrently.
type writer struct {
	config wire.Config
	keys   []readKey
	lent   sync.Pool // of map[string][]string
}

func newWriter(c wire.Config) *writer {
	w := &writer{config: c, keys: newReader(c).keys}
	for _, k := range []string{"connect-timeout-ms", "grpc-timeout"} {
		w.keys = append(w.keys, readKey{metadata: k, header: textproto.CanonicalMIMEHeaderKey(k)})
	}
	w.lent.New = func() any { return bareHeader() }
	return w
}

// write returns a context whose outgoing metadata says what the context knows.
// What it said before is overwritten, or goes: it may be what has come in.
func (w *writer) write(ctx context.Context) context.Context {
	md, ok := metadata.FromOutgoingContext(ctx) // a copy
	if !ok {
		md = make(metadata.MD, 3)
	}
	tag := wire.From(ctx)
	tag.Attempt = max(tag.Attempt, 1)
	h := w.lent.Get().(map[string][]string)
	for _, k := range w.keys {
		if v := md[k.metadata]; len(v) > 0 {
			h[k.header] = v
		}
	}
	w.config.Write(h, tag, class.Forever) // grpc-go tells the time itself
	for _, k := range w.keys {
		if v := h[k.header]; len(v) > 0 && k.metadata != attemptsKey {
			md[k.metadata] = v
		} else {
			delete(md, k.metadata)
		}
	}
	clear(h)
	maps.Copy(h, bareHeader())
	w.lent.Put(h)
	return metadata.NewOutgoingContext(ctx, md)
}

// attemptsKey counts the retries of grpc-go, which writes it.
const attemptsKey = "grpc-previous-rpc-attempts"
