package config

import (
	"net"
	"net/netip"
	"net/textproto"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/class"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// textual is a string that parse makes sense of. An empty one is left out.
func textual[T any](shape, wanted, pattern string, parse func(string) (T, bool), show func(T) string) kind[T] {
	return kind[T]{
		read: func(r *reader, v strict.Value, to *T) {
			t, ok := parse(v.Text)
			if !ok || !v.Scalar("!!str") {
				r.WantNot(v, "%s", wanted)
				return
			}
			*to = t
		},
		node: func(t T) *yaml.Node {
			if s := show(t); s != "" {
				return text(s)
			}
			return nil
		},
		schema: schema{"type": "string", "pattern": pattern},
		shape:  shape,
	}
}

func same(s string) string { return s }

func whole(i int) string { return strconv.Itoa(i) }

// The names that a file chooses.
const (
	longestName = 64
	namePattern = `^[A-Za-z0-9_-]{1,64}$`
)

var names = regexp.MustCompile(namePattern)

func isName(s string) bool { return names.MatchString(s) }

func name(wanted string) kind[string] {
	return textual("name", wanted, namePattern, func(s string) (string, bool) { return s, isName(s) }, same)
}

var reference = name("a name that stands elsewhere in the file")

// label is a name that people read.
var label = textual("text", "a name of 1 to 100 printable characters", `^[!-~]([ -~]{0,98}[!-~])?$`, func(s string) (string, bool) {
	ok := len(s) > 0 && len(s) <= 100 && strings.TrimSpace(s) == s
	for _, c := range s {
		ok = ok && c >= ' ' && c <= '~'
	}
	return s, ok
}, same)

// address is host:port, where the host may be missing.
var address = textual("host:port", "host:port or :port, such as 127.0.0.1:8080 or :8080", `^[^ /]*:[0-9]{1,5}$`, func(s string) (string, bool) {
	h, port, err := net.SplitHostPort(s)
	_, bad := strconv.ParseUint(port, 10, 16)
	return s, err == nil && bad == nil && !strings.ContainsAny(h, " /")
}, same)

// collector is the URL of a collector.
var collector = textual("URL", "http:// or https:// and a host, such as http://collector:4318", `^https?://[^/ ]+`, func(s string) (string, bool) {
	u, err := url.Parse(s)
	return s, err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		u.RawQuery == "" && u.Fragment == "" && (u.Port() == "" || validPort(u.Port()))
}, same)

// network is an address or a prefix.
var network = textual("network", "an address or a network, such as 10.0.0.0/8 or ::1", `^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$`, func(s string) (netip.Prefix, bool) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		var a netip.Addr
		a, err = netip.ParseAddr(s)
		p = netip.PrefixFrom(a, a.BitLen())
	}
	return p.Masked(), err == nil && p.Addr().Zone() == ""
}, netip.Prefix.String)

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

const tokenPattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"

// headerName is the name of a header that a request may be seen with.
var headerName = func() kind[string] {
	k := textual("header", "the name of a header, such as X-User-Id", tokenPattern, func(s string) (string, bool) {
		return textproto.CanonicalMIMEHeaderKey(s), isToken(s)
	}, same)
	read := k.read
	k.read = func(r *reader, v strict.Value, to *string) {
		if unseen(v.Text) {
			r.WantNot(v, "another header; this one is no longer among those of a request when it is looked at")
			return
		}
		read(r, v, to)
	}
	return k
}()

// unseen reports whether net/http takes a header out of those of a request, so
// that nothing is ever found in it.
func unseen(name string) bool {
	switch textproto.CanonicalMIMEHeaderKey(name) {
	case "Host", "Transfer-Encoding", "Trailer":
		return true
	}
	return false
}

var method = textual("method", "a method, such as GET", tokenPattern, func(s string) (string, bool) {
	return strings.ToUpper(s), isToken(s)
}, same)

var pattern = textual("path", "a path that begins with / and has * at its end or as a whole segment, such as /api/* or /users/*/orders", `^/`, func(s string) (Pattern, bool) {
	return Pattern(s), Pattern(s).valid()
}, func(p Pattern) string { return string(p) })

// criticality reads one of the four as it is written on the wire.
var criticality = func() kind[class.Criticality] {
	all := class.All()
	k := choice(all[:], class.Criticality.String)
	node := k.node
	k.node = func(c class.Criticality) *yaml.Node {
		if c == class.Unset {
			return nil
		}
		return node(c)
	}
	return k
}()

// file is the path of a file, relative to that of the configuration.
var file = kind[string]{
	read: func(r *reader, v strict.Value, to *string) {
		if !v.Scalar("!!str") || strings.ContainsRune(v.Text, 0) {
			r.WantNot(v, "the path of a file, relative to this one's directory")
			return
		}
		*to = filepath.Clean(v.Text)
		if !filepath.IsAbs(*to) {
			*to = filepath.Join(r.dir, *to)
		}
	},
	node: func(s string) *yaml.Node {
		if s == "" {
			return nil
		}
		return text(s)
	},
	schema: schema{"type": "string", "minLength": 1},
	shape:  "file",
}
