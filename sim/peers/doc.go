// Package peers holds the admission of other limiters as they are published, as
// opponents in the simulator: the same arrivals, the same workers, another
// ruling. Each names its source and its constants, and is the plain limiter
// that its documentation starts from.
//
// They are written from what is published, for comparison only; nothing in
// production uses them. It is pure, and exact on every platform like [sim].
package peers
