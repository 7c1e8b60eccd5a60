package mix

import (
	"fmt"
	"strings"
)

// escape makes of a text what can stand as the target of a request: whatever
// would end or break the line is encoded (RFC 3986, section 2.1).
func escape(text []byte) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, c := range text {
		if fits(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// fits reports whether a byte can stand in the target of a request.
func fits(c byte) bool { return c > ' ' && c < 0x7f && c != '#' && c != '"' && c != '<' && c != '>' }

// isTarget reports whether a path with its query can be sent as it is.
func isTarget(s string) bool {
	for i := range len(s) {
		if !fits(s[i]) {
			return false
		}
	}
	return s == "" || s[0] == '/' || s[0] == '?'
}
