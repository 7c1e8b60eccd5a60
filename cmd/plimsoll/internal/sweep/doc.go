// Package sweep plays a scenario at every place of a grid and says what each
// came to. An [Axis] is what varies along one direction, a [Grid] is the axes,
// [Grid.Run] plays every place on all processors, and a [Point] tells whether
// the service served what it could at the end of its runs.
package sweep
