// Package guides follows the pages of docs that tell how to do something,
// command by command, as they are written.
package guides
