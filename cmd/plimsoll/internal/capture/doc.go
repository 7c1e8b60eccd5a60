// Package capture writes down what arrives, as a trace that can be played again
// ([trace]): when, of which class and level, for which tenant, by which route,
// how long the caller said it waits, and how long serving it took.
//
// Nothing of what a request is about gets into it: no path, header or body. A
// tenant is a keyed hash, from which nobody without the key gets the tenant's
// name by trying names; with a key that is random and forgotten, nobody does.
//
// A request never waits for the disk. It takes a place in a bounded buffer when
// it arrives, and fills in how long it was served when it has been; one
// goroutine writes down what is complete, in the order of arrival, every second.
// When there is no place, the request is counted as dropped and served all the
// same. A disk that is full or gone is told once, counted, and tried again.
//
//	Capture  the buffer and its goroutine
//	Counts   what was written and what was not, kept from one capture to the next
//
// A file is bounded. One that is full is moved aside and others follow, the
// oldest of which are deleted; one that is there already is moved aside as well.
package capture
