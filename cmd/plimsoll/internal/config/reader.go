package config

import "github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"

// reader collects what is wrong while settings are read, from the file and
// from the command line.
type reader struct {
	strict.Reader
	given map[string]strict.Value // by key as in a file: what was read last
	bad   map[string]bool         // the keys of given whose value is a fault
}

func newReader() *reader { return &reader{given: map[string]strict.Value{}, bad: map[string]bool{}} }
