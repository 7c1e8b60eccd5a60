package main

import "time"

// options are what can be chosen.
type options struct {
	length time.Duration
	times  float64
}

// The services behind: so many endpoints, each with workers that take a time
// for a request. What they can do is their capacity.
const (
	endpoints = 2
	workers   = 4
	service   = 50 * time.Millisecond
	capacity  = endpoints * workers * float64(time.Second) / float64(service) // per second
	deadline  = time.Second                                                   // of every request
)

// What happens beside the load, and how often.
const (
	sockets      = 12              // WebSockets open at a time
	callers      = 4               // gRPC clients, with a call or a stream at a time
	reloadEvery  = 3 * time.Second // a good file and a broken one in turn
	restartEvery = 7 * time.Second // one endpoint
	downFor      = 500 * time.Millisecond
	brokenEvery  = 200 * time.Millisecond // a connection that stops within a header
	sampleEvery  = 500 * time.Millisecond
)

// When memory counts as flat: its line through the second half rises by less
// than a part of its mean, and what a collection more or less makes of it.
const (
	flatPart  = 0.15
	flatNoise = 12 << 20
)

// leastGoodput is the part of the capacity that has to be answered in time,
// through all that happens. It is much more on a machine with nothing else to
// do; what this has to find is a collapse.
const leastGoodput = 0.4
