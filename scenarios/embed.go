// Package scenarios holds the scenarios that the program brings with it: what
// overload does to a service, what stands in front of it, and the figures that
// are known from elsewhere. docs/scenarios.md says what a file may hold.
package scenarios

import "embed"

// Files are the scenarios, YAML files by their paths in this folder, and the
// traces that they name.
//
//go:embed *
var Files embed.FS
