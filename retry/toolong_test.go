package retry

import "testing"

func TestMessageTooLong(t *testing.T) {
	for text, want := range map[string]bool{
		"grpc: received message larger than max (206 vs. 100)":           true, // grpc-go
		"trying to send message larger than max (206 vs. 100)":           true,
		"grpc: received message after decompression larger than max 100": true,
		"CLIENT: Received message larger than max (206 vs. 100)":         true, // gRPC core
		"Received message larger than max (206 vs 100)":                  true, // Node
		"gRPC message exceeds maximum size 100: 206":                     true, // Java
		"quota exceeded": false,
		"the number of requests is larger than max": false,
		"no room for another message":               false,
		"":                                          false,
	} {
		if got := MessageTooLong(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
