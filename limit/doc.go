// Package limit finds how many requests may be in flight at once.
//
// An [Algorithm] folds one [Window], which is what a gate measured since the
// last decision, into a limit and says what it needs of the window to come.
// [Fixed] is a limit that somebody knew; [Auto], the default, finds it and needs
// no configuration. [AIMD], [Vegas], [Gradient] and [Gradient2] are what others
// have published, with their constants and their known failures, to be compared
// with.
//
// It is pure: no clock, no lock, no goroutine, and no randomness but what a seed
// repeats. The same windows give the same limits, so what a simulator shows is
// what runs. Algorithms are
// not safe for concurrent use, and one instance belongs to one gate.
package limit
