// Package config turns a YAML file and a command line into the settings of one
// proxy, or into the list of everything that is wrong with them.
//
// A [Config] is what the proxy runs on: typed, complete, every default filled
// in, every name resolved. [Load] makes one from [Flags] and the file that they
// may name. It answers with all [strict.Faults] at once, each with its place,
// its key and what is wanted there. Nothing is guessed: an unknown key, a key
// given twice, a number in quotes, a duration or a size without a unit is a
// fault, not a default.
//
// A key that is absent takes its default. Zero is never "default" and never
// "unlimited" unless its description says so.
//
// Every key stands in one table, beside the type that it fills: its name, what
// may stand there, and what it means. The reader, [Config.Print] and [Schema]
// are made of these tables, so they cannot differ.
package config
