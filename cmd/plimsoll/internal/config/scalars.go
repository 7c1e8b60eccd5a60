package config

import (
	"net"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

func (r *reader) limit(v strict.Value, to *int) { r.NumberOr(v, "auto", 0, 1, limit.Max, to) }

// address reads host:port, where the host may be missing.
func (r *reader) address(v strict.Value, to *string) {
	host, port, err := net.SplitHostPort(v.Text)
	_, bad := strconv.ParseUint(port, 10, 16)
	if !v.Scalar("!!str") || err != nil || bad != nil || strings.ContainsAny(host, " /") {
		r.WantNot(v, "host:port or :port, such as 127.0.0.1:8080 or :8080")
		return
	}
	*to = v.Text
}

// upstream reads where the requests go.
func (r *reader) upstream(v strict.Value, to **url.URL) {
	const wanted = "http://, https:// or h2c:// and a host, such as http://127.0.0.1:8081"
	u, err := url.Parse(v.Text)
	switch {
	case !v.Scalar("!!str") || err != nil:
		r.WantNot(v, wanted)
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "h2c", u.Hostname() == "":
		r.WantNot(v, wanted)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		r.WantNot(v, wanted+", and nothing behind it")
	case u.Port() != "" && !validPort(u.Port()):
		r.WantNot(v, wanted)
	default:
		*to = &url.URL{Scheme: u.Scheme, Host: u.Host}
	}
}

func validPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// network reads an address or a prefix.
func (r *reader) network(v strict.Value, to *[]netip.Prefix) {
	p, err := netip.ParsePrefix(v.Text)
	if err != nil {
		var a netip.Addr
		a, err = netip.ParseAddr(v.Text)
		p = netip.PrefixFrom(a, a.BitLen())
	}
	if !v.Scalar("!!str") || err != nil || p.Addr().Zone() != "" {
		r.WantNot(v, "an address or a network, such as 10.0.0.0/8 or ::1")
		return
	}
	*to = append(*to, p.Masked())
}

// token reads a word as HTTP writes methods and names of headers.
func (r *reader) token(v strict.Value, what string, to *string) {
	if !v.Scalar("!!str") || !isToken(v.Text) {
		r.WantNot(v, "%s", what)
		return
	}
	*to = v.Text
}

func (r *reader) header(v strict.Value, to *string) {
	var name string
	if r.token(v, "the name of a header, such as X-User-Id", &name); name != "" {
		*to = textproto.CanonicalMIMEHeaderKey(name)
	}
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alpha := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alpha && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

func (r *reader) pattern(v strict.Value, to *Pattern) {
	if p := Pattern(v.Text); v.Scalar("!!str") && p.valid() {
		*to = p
		return
	}
	r.WantNot(v, "a path that begins with / and has * at its end or as a whole segment, such as /api/* or /users/*/orders")
}

func (r *reader) criticality(v strict.Value, to *class.Criticality) {
	if c, ok := class.Parse(v.Text); ok && v.Scalar("!!str") {
		*to = c
		return
	}
	r.WantNot(v, "CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE")
}
