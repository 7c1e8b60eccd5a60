package cache

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/class/wire"
)

// Bounds on what an answer may be selected by. What varies with more is not
// stored.
const (
	maxVaryNames = 12
	maxVaryBytes = 2 << 10 // of the values in one request
)

// varyNames reads Vary: canonical names, sorted, each once. False: the answer
// is for one request only (*), or varies with too much.
func varyNames(lines []string) ([]string, bool) {
	var names []string
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.Trim(name, " \t")
			switch {
			case name == "":
				continue
			case name == "*" || len(name) > 128:
				return nil, false
			}
			name = textproto.CanonicalMIMEHeaderKey(name)
			if ours(name) || len(names) > 4*maxVaryNames {
				return nil, false
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names, len(names) <= maxVaryNames
}

// ours reports whether a field is written behind the cache, where requests are
// forwarded: what callers send in it is not what the service answers to.
func ours(name string) bool {
	switch name {
	case "Forwarded", wire.CriticalityHeader, wire.AttemptHeader, wire.TimeoutHeader, wire.BaggageHeader:
		return true
	}
	return strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "Plimsoll-")
}

// varyKey is what a request says in the fields that an answer varies with
// (RFC 9111 4.1): the secondary key. A field that is not there differs from an
// empty one. False: they say too much.
func varyKey(names []string, h http.Header) (string, bool) {
	if len(names) == 0 {
		return "", true
	}
	var b strings.Builder
	for _, name := range names {
		if lines, ok := h[name]; ok {
			b.WriteByte('=')
			size := 0
			for _, l := range lines {
				size += len(l)
			}
			if b.Len()+size > maxVaryBytes {
				return "", false
			}
			writeNormal(&b, name, lines)
		}
		b.WriteByte('\n') // no value has one
	}
	return b.String(), true
}

// writeNormal writes the lines of a field without the differences that mean
// nothing (RFC 9111 4.1), which is known of content negotiation alone: blanks round
// its separators, and case before the first parameter. The order of encodings and
// character sets is in their weights (RFC 9110 12.4.2); languages and types
// of the same weight are often served in the order in which they are listed (12.5.4).
func writeNormal(b *strings.Builder, name string, lines []string) {
	anyOrder := name == "Accept-Encoding" || name == "Accept-Charset"
	if len(lines) > 1 || !anyOrder && name != "Accept" && name != "Accept-Language" || strings.Contains(strings.Join(lines, ""), `"`) {
		for i, line := range lines {
			if i > 0 {
				b.WriteByte(0) // no value has one, and some services read the first line alone
			}
			b.WriteString(strings.Trim(line, " \t"))
		}
		return
	}
	members := strings.Split(strings.Join(lines, ""), ",")
	for i, m := range members {
		parts := strings.Split(m, ";")
		for j, part := range parts {
			if parts[j] = strings.Trim(part, " \t"); j == 0 {
				parts[j] = lower(parts[j])
			}
		}
		members[i] = strings.Join(parts, ";")
	}
	if anyOrder {
		slices.Sort(members)
	}
	b.WriteString(strings.Join(members, ","))
}

// lower is s with ASCII's letters in lower case and all other bytes as they are
// (RFC 9110 2.1 and 5.5: what is not ASCII is opaque). strings.ToLower would not
// do: it makes one of all bytes that are no UTF-8, of three bytes each, and a k
// of U+212A.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
