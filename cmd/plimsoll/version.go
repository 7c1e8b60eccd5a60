package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// versionCmd is the command line of "plimsoll version".
type versionCmd struct{}

// Help is the longer text of "plimsoll version --help".
func (versionCmd) Help() string {
	return `Prints the version of the program and of the Go it was built with.

Example:
  plimsoll version`
}

// Run prints one line.
func (versionCmd) Run(k *kong.Kong) error {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(k.Stdout, "plimsoll %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
