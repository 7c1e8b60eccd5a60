//go:build race

package port

// The race detector makes pools forget half of what is put into them.
const raced = true
