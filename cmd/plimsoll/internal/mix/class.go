// Package mix is what a load consists of: its classes, and a request of each.
package mix

import (
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Protocol is what a request is sent over.
type Protocol uint8

// The protocols. Whether there is TLS below is said by the scheme of the URL.
const (
	HTTP1 Protocol = iota
	HTTP2          // h2c by prior knowledge, or by ALPN over TLS
	GRPC           // a unary call; its descriptor comes by reflection or from a file
)

// Class is one kind of request of a load.
type Class struct {
	Name        string
	Weight      float64           // its share is this by the sum of all
	Criticality class.Criticality // Unset: none is sent
	Deadline    time.Duration     // from when it was due; 0: the default of the load
	Protocol    Protocol
	Method      string // of HTTP; or package.Service/Method of gRPC
	Path        string // after the URL of the load, with its query
	Header      http.Header
	Body        *Body // nil: none
	Tenants     *Tenants
	Retry       Retry
}

// Request is one logical request: a class with all that was drawn for it.
type Request struct {
	Class       *Class
	Index       int // of Class among the classes of its mix
	Tenant      string
	Criticality class.Criticality
	Level       class.Level
	Deadline    time.Duration // from when it was due; above 0
	Path        string
	Body        []byte // nobody changes it
}
