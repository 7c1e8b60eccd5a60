package capture

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// Config says where a capture goes.
type Config struct {
	// File is where what arrives is written: as CSV if its name ends in .csv, else
	// as NDJSON.
	File string
	// MaxBytes bounds the file, above 0; one record is always written.
	MaxBytes int64
	// Keep is how many files stay beside it that were full, or there before; 1 at
	// least.
	Keep int
	// Key is that of the hash of tenants, not empty.
	Key []byte
	// Counts is what this capture goes on counting, as may the ones before and
	// after it.
	Counts *Counts
	// Log is told when the file fails, when it is written again, and in the end.
	Log *slog.Logger
}

// Counts is what has become of the requests that arrived. The numbers only grow;
// they may be read at any time.
type Counts struct {
	Written  atomic.Uint64 // are in the file
	Dropped  atomic.Uint64 // found no place in the buffer
	Lost     atomic.Uint64 // could not be written
	Failures atomic.Uint64 // times that the file could not be written, or was gone
}

// Status is what a capture looks like at one moment.
type Status struct {
	File  string
	Bytes int64     // of the file
	Began time.Time // time 0 of the file; zero: it has no record yet
	Fault string    // why nothing is written; empty: all is well
}
