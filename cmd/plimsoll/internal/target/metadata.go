package target

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// checkMetadata says what the headers of a class, and those of tenant and level,
// have that a call of gRPC has no place for: what gRPC says itself ("gRPC over
// HTTP2", Requests) its library would leave out without a word, and all else
// would have every call fail.
func checkMetadata(h http.Header, tenant, level string) (faults []error) {
	check := func(name string, values ...string) {
		lower := strings.ToLower(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name): // which is a fault over HTTP too
		case ownOfGRPC(lower):
			faults = append(faults, fmt.Errorf("header %s: gRPC says that itself: leave it out", name))
		case strings.ContainsAny(name, "!#$%&'*+^`|~"):
			faults = append(faults, fmt.Errorf("header %s: gRPC wants a name of letters, digits, hyphens, dots and underscores", name))
		}
		for _, v := range values {
			if httpguts.ValidHeaderFieldValue(v) && !sayable(lower, v) {
				faults = append(faults, fmt.Errorf("header %s: %q is not printable ASCII, and gRPC sends no other in a header without -bin", name, v))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if http.CanonicalHeaderKey(name) != "Host" {
			check(name, h[name]...)
		}
	}
	check(tenant)
	check(level)
	return faults
}

// ownOfGRPC reports whether a header, in lower case, is one that gRPC writes.
func ownOfGRPC(name string) bool {
	switch name {
	case "content-type", "user-agent", "te", "grpc-timeout", "grpc-encoding", "grpc-message-type", "grpc-message", "grpc-status":
		return true
	}
	return false
}

// sayable reports whether a header, its name in lower case, can have a value.
func sayable(name, value string) bool {
	if strings.HasSuffix(name, "-bin") {
		return true // it is coded
	}
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	return true
}
