package retry

import "strings"

// MessageTooLong reports whether the message of a RESOURCE_EXHAUSTED of gRPC is
// about a message that is longer than a side takes. That is the status of a quota
// too, and there is nothing but the words to tell them by: those of grpc-go, gRPC
// core, Node and Java are known. It would be as long again, and says nothing of
// load.
func MessageTooLong(text string) bool {
	return strings.Contains(text, "message") && (strings.Contains(text, "larger than max") || strings.Contains(text, "exceeds maximum size"))
}
