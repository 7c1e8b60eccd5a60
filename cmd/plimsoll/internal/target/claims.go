package target

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
)

// The names of headers on which nobody has agreed.
const (
	defaultTenantHeader = "X-Tenant"
	defaultLevelHeader  = "X-Request-Level"
)

// userAgent is what an attempt is sent by, unless its class says otherwise.
const userAgent = "plimsoll-load"

// claims are what the attempts of one class say of themselves in headers.
type claims struct {
	static        [class.Count + 1]http.Header // of all alike, by criticality; never changed
	tenant, level string                       // the names of headers, as net/http spells them
	host          string                       // "": that of the URL
}

// newClaims prepares the headers of a class. Its error has every fault at once.
func newClaims(c *mix.Class, o Options) (*claims, []error) {
	k := &claims{
		tenant: http.CanonicalHeaderKey(orDefault(o.TenantHeader, defaultTenantHeader)),
		level:  http.CanonicalHeaderKey(orDefault(o.LevelHeader, defaultLevelHeader)),
		host:   c.Header.Get("Host"),
	}
	faults := checkHeader(c.Header)
	for i := range k.static {
		h := c.Header.Clone()
		if h == nil {
			h = http.Header{}
		}
		delete(h, "Host")
		if len(h["User-Agent"]) == 0 {
			h["User-Agent"] = []string{userAgent}
		}
		wire.Write(h, wire.Tag{Criticality: class.Criticality(i)}, class.Forever)
		k.static[i] = h
	}
	return k, faults
}

// headerFaults says which names that headers are to have are none.
func (o *Options) headerFaults() (faults []error) {
	for _, h := range [][2]string{{"--tenant-header", o.TenantHeader}, {"--level-header", o.LevelHeader}} {
		if flag, name := h[0], h[1]; name != "" && !httpguts.ValidHeaderFieldName(name) {
			faults = append(faults, wrong(flag, "the name of a header, have %q", name))
		}
	}
	return faults
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// checkHeader says what cannot be sent.
func checkHeader(h http.Header) (faults []error) {
	for name, values := range h {
		switch http.CanonicalHeaderKey(name) {
		case "Content-Length", "Transfer-Encoding", "Expect", "Upgrade", "Trailer":
			faults = append(faults, fmt.Errorf("header %s: how a request is framed is not for a class to say: leave it out", name))
			continue
		}
		if !httpguts.ValidHeaderFieldName(name) {
			faults = append(faults, fmt.Errorf("header %q: want a name of letters, digits and hyphens", name))
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				faults = append(faults, fmt.Errorf("header %s: %q has a byte that no value may have", name, v))
			}
		}
	}
	return faults
}

// lane is the index of a criticality in static.
func lane(c class.Criticality) int {
	if !c.Valid() {
		return 0
	}
	return int(c)
}

// header has the headers of an attempt. False: they cannot be sent.
func (k *claims) header(r *mix.Request, attempt int, left time.Duration) (http.Header, bool) {
	h := maps.Clone(k.static[lane(r.Criticality)])
	values := make([]string, 0, 4)
	set := func(name, value string) {
		values = append(values, value)
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
	set(wire.TimeoutHeader, strconv.FormatInt(milliseconds(left), 10))
	set(wire.AttemptHeader, strconv.Itoa(min(attempt, wire.MaxAttempt)))
	if r.Tenant != "" {
		set(k.tenant, r.Tenant)
	}
	if r.Level > 0 {
		set(k.level, strconv.Itoa(int(r.Level)))
	}
	return h, httpguts.ValidHeaderFieldValue(r.Tenant)
}

// milliseconds of a time that is left, rounded down as wire does.
func milliseconds(left time.Duration) int64 { return max(left, 0).Milliseconds() }

// place is where the requests of a class go: the URL of the load, and paths after
// that, which keep its query.
type place struct {
	base *url.URL // without what is never sent
	path string   // of the class
	url  *url.URL
	uri  string // as it stands in a request
}

func newPlace(base *url.URL, c *mix.Class) (place, error) {
	path := c.Path
	if c.PathOf != nil {
		path = "" // each has its own
	}
	p := place{base: &url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path, RawPath: base.RawPath, RawQuery: base.RawQuery}, path: path}
	u, err := p.parse(path)
	if err != nil {
		return p, fmt.Errorf("path %q: want one such as /items?id=1", path)
	}
	p.url, p.uri = u, u.RequestURI()
	return p, nil
}

// at is the URL of a path, and how that stands in a request. False: it is none.
func (p *place) at(path string) (*url.URL, string, bool) {
	if path == p.path {
		return p.url, p.uri, true
	}
	u, err := p.parse(path)
	if err != nil {
		return nil, "", false
	}
	return u, u.RequestURI(), true
}

func (p *place) parse(path string) (*url.URL, error) {
	if path == "" {
		return p.base, nil
	}
	path, query, _ := strings.Cut(path, "?")
	if path != "" && path[0] != '/' {
		path = "/" + path
	}
	u, err := url.Parse(p.base.Scheme + "://" + p.base.Host + strings.TrimSuffix(p.base.EscapedPath(), "/") + path)
	if err != nil {
		return nil, err
	}
	u.RawQuery = strings.Trim(p.base.RawQuery+"&"+query, "&")
	return u, nil
}
