// Package heap has the garbage of a program that holds little and allocates
// much collected less often.
package heap

import "os"

// Floor has the collector run only after so many bytes were allocated since it
// ran last, and returns what has to be kept for as long as that is to be so.
//
// With what such a program holds, the runtime would collect every 4 MiB by its
// defaults, that is every few hundred requests: most of what a proxy costs
// beside the forwarding itself, and what delays a load generator's requests by
// milliseconds, with the stacks that every collection shrinks and that grow
// again. More than some MiB is no cheaper any more: what is allocated is then no
// longer in the processor's caches.
//
// What is kept is a block that is never touched, so that it takes address space
// and no memory, and that the collector counts as held. Unlike a GOGC that is
// set higher it does not multiply: a heap that holds much grows by the floor
// more than it would, and no further.
//
// Who has set GOGC or GOMEMLIMIT has decided otherwise: nil.
func Floor(bytes int) []byte {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return make([]byte, bytes)
}
