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

var protocolNames = []string{"http1", "http2", "grpc"}

// String is the protocol as people write it.
func (p Protocol) String() string {
	if int(p) < len(protocolNames) {
		return protocolNames[p]
	}
	return "unknown"
}

// Class is one kind of request of a load. A class is not changed once a [Mix]
// has it.
type Class struct {
	Name        string
	Weight      float64           // its share is this by the sum of all
	Criticality class.Criticality // Unset: none is sent
	Level       class.Level       // within its criticality; 0: none is sent
	ByTenant    bool              // the level is a hash of the tenant instead, see [class.LevelOf]
	Deadline    time.Duration     // from when it was due; 0: [DefaultDeadline]
	Protocol    Protocol
	Method      string    // of HTTP; or package.Service/Method of gRPC
	Path        string    // after the URL of the load, with its query; of a template, its text
	PathOf      *Template // nil: Path
	Header      http.Header
	Body        *Body // nil: none
	Tenants     *Tenants
	Retry       Retry
}

// DefaultDeadline is that of a class that says none.
const DefaultDeadline = time.Second

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
