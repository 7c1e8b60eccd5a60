// Package arena plays every policy in every scenario of a fixed suite and says
// what share of the possible each reached.
//
// A [Bout] is one scenario with one setting of its parameters; a [Policy] is
// what stands in front of its stations: a gate with one limit or another, or
// another limiter as it is published. [Play] plays the matrix, all policies
// with the same seeds, and so with the same arrivals and needs; a [Score] is
// what one run came to.
package arena
