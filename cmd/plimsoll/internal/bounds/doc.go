// Package bounds is the chain of bounds that a request passes on its way
// through the proxy: the system's backlog, descriptors, connections, header,
// streams, queue, limit, the connections and times of the service behind.
//
// [Of] makes a [Chain] of the settings, and of a [Reading] of the system and, where there is one, of the running process. Each
// [Bound] says what it is, where it comes from and what happens when it is hit;
// a [Warning] says where the chain does not hang together: a bound that can
// never be reached because an earlier one is always hit first, a hop without
// any, a queue that waits longer than its callers.
package bounds
