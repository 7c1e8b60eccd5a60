// Package reference is "plimsoll sim reference": the reference cases.
//
// A case is a figure, or a few, that was worked out independently of this
// program: stated by a source, or found by a plain event loop. Its scenario
// files lie in scenarios/reference, named after it, and hold both its inputs
// and what is expected. Every figure is that of a run; nothing is known here
// of any case but what it waits for.
package reference
