// Package recovery frees gates whose service is stuck: it works at capacity for
// callers that have left, and their retries keep it there although nothing is
// left of what brought it down.
//
//	Watch   finds out that a gate is stuck; a pure state machine
//	Cmd     "plimsoll recover", which asks a running proxy for it
//
// What frees it is [plimsoll.Gate.Recover]: everybody who waits is refused, and
// the slots are handed out again on a ramp, during which the service gets
// through its backlog.
package recovery
