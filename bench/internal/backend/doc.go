// Package backend is what stands behind everything in a comparison of what may
// stand before it: [Slots], as such or as a service over HTTP. It uses next to
// no processor time, so that it takes none from what is compared, and collapses
// under overload for two ordinary reasons: its queue has no bound and is served
// oldest first, and a job stays in it when its caller has left.
package backend
