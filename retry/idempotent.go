package retry

// Idempotent reports whether doing a request of an HTTP method twice has the
// effect of doing it once (RFC 9110, section 9.2.2). The empty method is GET, as
// in net/http. Methods are case-sensitive.
func Idempotent(method string) bool {
	switch method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return true
	}
	return false
}
