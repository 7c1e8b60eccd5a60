// Package e2e is the suite that plays the built program against peers that
// others have made: net/http, grpc-go, coder/websocket, curl, nghttp, Node,
// nginx. Everything runs on loopback and ends by itself. What is not installed
// is fetched by tools/need.sh; what cannot be had is skipped, with the reason.
//
// Every protocol is played in calm, before a gate that is full, and at three
// times its capacity: there a refusal has to be one that the peer understands.
package e2e
