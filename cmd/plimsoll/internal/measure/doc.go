// Package measure takes named figures from the reports of simulated runs, and
// gives the verdict on what was expected of them.
//
// A [Figure] is a measure with a window, a filter and a scale: "goodput from
// 15s to 60s per capacity". An [Expectation] is a figure, taken from as many
// runs as there are seeds, and what it has to be: a value within a tolerance,
// at least, at most or below. Two figures may be compared, also those of two
// policies or of two settings of the parameters, seed by seed.
//
// [Decode] reads the "expect" block of a scenario file, with every fault at
// its line. [Evaluate] plays the runs that the expectations need, each once
// per seed, and keeps nothing of a report but its figures. [Shape] lays
// expected and measured figures out as JSON by their names.
package measure
