// Package scenario reads scenario files: what the simulator is to play, as
// YAML.
//
// A [File] is what was read, with every fault named by its line; for given
// values of its parameters and one of its policies [File.Build] makes the
// scenario to play. A policy is a set of keys laid over those of the file, so
// that what is compared differs in nothing else. docs/scenarios.md lists every
// key.
package scenario
