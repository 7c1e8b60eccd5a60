// Package strict is a reader of YAML that names every fault by its line.
//
// A file is read into [Value]s, each of which knows where it stands. A
// [Reader] takes them apart and notes what is wrong instead of stopping at the
// first fault; [Faults] is all of it as one error. Nothing is guessed: an
// unknown key, a key given twice, a number in quotes or a duration without a
// unit is a fault.
package strict
