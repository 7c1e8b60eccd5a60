// Package config turns a command line and a YAML file into the settings of
// one proxy, or into the list of everything that is wrong with them.
//
// A [Config] is what the proxy runs on: typed, complete, every default filled
// in. [Load] makes one from [Flags], and the file that they may name; a flag
// overrides the file. It answers with all [strict.Faults] at once, each with its
// place, its key and what is wanted there. Nothing is guessed: an unknown key,
// a key given twice, a number in quotes or a duration without a unit is a
// fault, not a default.
//
// A key that is absent takes its default. Zero is never "default" and never
// "unlimited"; what it means, where it is allowed, stands at the field of
// [Config].
package config
