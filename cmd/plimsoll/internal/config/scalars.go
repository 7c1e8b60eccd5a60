package config

import (
	"net"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
)

// duration reads a duration; zero says whether 0 is one.
func (r *reader) duration(v value, zero bool, to *time.Duration) {
	if !v.scalar("!!str", "!!int", "!!float") {
		r.wantNot(v, "%s", errUnit)
		return
	}
	d, err := parseDuration(v.text)
	switch {
	case err != nil:
		r.wantNot(v, "%s", err)
	case d == 0 && !zero:
		r.wantNot(v, "a duration above 0")
	default:
		*to = d
	}
}

// number reads a whole number from least to most, in plain decimal digits.
func (r *reader) number(v value, least, most int, or string, to *int) {
	n, err := strconv.Atoi(v.text)
	digits := strings.Trim(v.text, "0123456789") == ""
	if !v.scalar("!!int") || err != nil || !digits || n < least || n > most {
		r.wantNot(v, "%sa whole number from %d to %d", or, least, most)
		return
	}
	*to = n
}

// numberOr is number, where a word stands for a number of its own.
func (r *reader) numberOr(v value, word string, means, least, most int, to *int) {
	if v.scalar("!!str") && v.text == word {
		*to = means
		return
	}
	r.number(v, least, most, word+" or ", to)
}

func (r *reader) limit(v value, to *int) { r.numberOr(v, "auto", 0, 1, limit.Max, to) }

// choice reads one of a few words.
func choice[T any](r *reader, v value, names []string, values []T, to *T) {
	for i, name := range names {
		if v.scalar("!!str", "!!int") && v.text == name {
			*to = values[i]
			return
		}
	}
	r.wantNot(v, "%s", oneOf(names))
}

func oneOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func (r *reader) truth(v value, to *bool) {
	if !v.scalar("!!bool") || v.text != "true" && v.text != "false" {
		r.wantNot(v, "true or false")
		return
	}
	*to = v.text == "true"
}

// address reads host:port, where the host may be missing.
func (r *reader) address(v value, to *string) {
	host, port, err := net.SplitHostPort(v.text)
	_, bad := strconv.ParseUint(port, 10, 16)
	if !v.scalar("!!str") || err != nil || bad != nil || strings.ContainsAny(host, " /") {
		r.wantNot(v, "host:port or :port, such as 127.0.0.1:8080 or :8080")
		return
	}
	*to = v.text
}

// upstream reads where the requests go.
func (r *reader) upstream(v value, to **url.URL) {
	const wanted = "http://, https:// or h2c:// and a host, such as http://127.0.0.1:8081"
	u, err := url.Parse(v.text)
	switch {
	case !v.scalar("!!str") || err != nil:
		r.wantNot(v, wanted)
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "h2c", u.Hostname() == "":
		r.wantNot(v, wanted)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		r.wantNot(v, wanted+", and nothing behind it")
	case u.Port() != "" && !validPort(u.Port()):
		r.wantNot(v, wanted)
	default:
		*to = &url.URL{Scheme: u.Scheme, Host: u.Host}
	}
}

func validPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// network reads an address or a prefix.
func (r *reader) network(v value, to *[]netip.Prefix) {
	p, err := netip.ParsePrefix(v.text)
	if err != nil {
		var a netip.Addr
		a, err = netip.ParseAddr(v.text)
		p = netip.PrefixFrom(a, a.BitLen())
	}
	if !v.scalar("!!str") || err != nil || p.Addr().Zone() != "" {
		r.wantNot(v, "an address or a network, such as 10.0.0.0/8 or ::1")
		return
	}
	*to = append(*to, p.Masked())
}

// token reads a word as HTTP writes methods and names of headers.
func (r *reader) token(v value, what string, to *string) {
	if !v.scalar("!!str") || !isToken(v.text) {
		r.wantNot(v, "%s", what)
		return
	}
	*to = v.text
}

func (r *reader) header(v value, to *string) {
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

func (r *reader) pattern(v value, to *Pattern) {
	if p := Pattern(v.text); v.scalar("!!str") && p.valid() {
		*to = p
		return
	}
	r.wantNot(v, "a path that begins with / and has * at its end or as a whole segment, such as /api/* or /users/*/orders")
}

func (r *reader) criticality(v value, to *class.Criticality) {
	if c, ok := class.Parse(v.text); ok && v.scalar("!!str") {
		*to = c
		return
	}
	r.wantNot(v, "CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE")
}
