// Package fronts is what may stand before a service that is offered too much:
// nothing, nginx, HAProxy, two Go proxies with limiters of other libraries, and
// Plimsoll's proxy. Each is a process of its own. What has to be tuned is tuned
// by its manual, for the one service that it stands before and with all that
// there is to know of it ([Facts]); Plimsoll's proxy is told where to listen,
// what stands behind it, and that its callers are ours.
package fronts
