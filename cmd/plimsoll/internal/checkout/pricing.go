package checkout

import (
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// The pricing service: so many connections to what it computes prices from,
// and how long a price takes. In the outage the quotes that the checkout asks
// for hang; what everybody else asks for does not.
const (
	connections = 100
	priced      = 5 * time.Millisecond
	hanging     = 10 * time.Second
)

// pricing answers with a price while it has a connection; who finds none waits
// in a queue that nothing bounds. A caller who hangs up gives his back, and
// that is all it is ever told.
type pricing struct{ pool chan struct{} }

func newPricing() *pricing { return &pricing{pool: make(chan struct{}, connections)} }

func (p *pricing) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	select {
	case p.pool <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	defer func() { <-p.pool }()
	took := priced
	if r.URL.Path == "/"+quote[0].name {
		took = hanging
	}
	openloop.Pause(r.Context(), took)
}

// quote is the part of a page that pricing is asked for.
var quote = []part{{name: "quote"}}
