// Package live plays overloads, and what only looks like one, against the same
// service behind one front after another (package fronts), on real processes and
// loopback sockets, and says what each made of it, beside what was possible.
//
// A run is one front in one [Row]. The service is fresh for each, and so is the
// front. The requests come from the program's own load generator, an open loop
// that tells when it was late itself. A row is played with all fronts one after
// the other, within two minutes; the capacity of the service is measured in it
// as well. All share the machine: a run in which the generator was late, or
// nobody had a processor left, says nothing about its front, is void, and is
// played again.
package live
