// Package mix is what a load consists of: its classes, and a request of each.
//
// [Flags.Mix] makes one of what a command line says, [Read] of a file; either
// names every fault at once. [Mix.Draw] draws a request: by weight, or by what a
// recorded trace says of it. A mix does not change, so any number may draw from
// it at a time, each with a source of randomness of its own, and what comes is a
// function of that source and the arrivals alone.
package mix
