//go:build race

package queue

// raceEnabled makes the longest tests shorter.
const raceEnabled = true
