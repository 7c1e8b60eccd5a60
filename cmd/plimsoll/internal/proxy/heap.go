package proxy

import "os"

// heapFloor is how much is allocated, at the least, between two collections.
//
// A proxy holds little and allocates much. With what it holds, the runtime
// would collect every 4 MiB by its defaults, that is every few hundred
// requests, and that would be most of what the proxy costs beside the
// forwarding itself. More than this is no cheaper any more: what is allocated
// is then no longer in the processor's caches.
const heapFloor = 16 << 20

// raiseHeap has the collector run only after heapFloor, and returns what has to
// be kept for as long as that is to be so. It is a block that is never touched,
// so that it takes address space and no memory, and that the collector counts
// as held. Unlike a GOGC that is set higher it does not multiply: the heap of a
// proxy that holds much grows by heapFloor more than it would, and no further.
//
// Who has set GOGC or GOMEMLIMIT has decided otherwise: nil.
func raiseHeap() []byte {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return make([]byte, heapFloor)
}
