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

// writeNormal writes the lines of a field as one, without the differences that
// mean nothing: blanks round commas in any; case and order in those of content
// negotiation, where the order is in the weights (RFC 9110 12.4.2).
func writeNormal(b *strings.Builder, name string, lines []string) {
	var members []string
	for _, line := range lines {
		for m := range strings.SplitSeq(line, ",") {
			members = append(members, strings.Trim(m, " \t"))
		}
	}
	switch name {
	case "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language":
		for i, m := range members {
			members[i] = lower(strings.NewReplacer(" ", "", "\t", "").Replace(m))
		}
		slices.Sort(members)
	}
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m)
	}
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
