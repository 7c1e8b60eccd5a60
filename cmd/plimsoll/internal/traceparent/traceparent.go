// Package traceparent reads what a caller has decided about a trace, without
// making anything of it: most requests are not traced, and for them nothing
// else of the header matters.
package traceparent

// Sampled reads the flag sampled of the values of a traceparent header (W3C
// Trace Context): version, trace, parent and flags, 2, 32, 16 and 2
// hexadecimal digits with hyphens between. It is not known where there is no
// header, more than one, or what is no decision. It does not allocate.
func Sampled(values []string) (sampled, known bool) {
	const flags = 2 + 1 + 32 + 1 + 16 + 1
	if len(values) != 1 || len(values[0]) < flags+2 || values[0][flags-1] != '-' {
		return false, false
	}
	switch d := values[0][flags+1]; {
	case '0' <= d && d <= '9':
		return d&1 == 1, true
	case 'a' <= d && d <= 'f':
		return (d-'a')&1 == 1, true // 'a' is 10
	}
	return false, false
}
