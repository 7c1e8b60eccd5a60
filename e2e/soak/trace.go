package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// mostTrace is how long a file of the trace may be.
const mostTrace = 1 << 20

// traced is what was recorded of a soak.
type traced struct {
	Records int   `json:"records"`
	Files   int   `json:"files"`
	Longest int64 `json:"longest_bytes"`
}

// readTraces reads all files of a trace: each has to be whole, and in order.
func readTraces(dir string) (out traced, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "trace*.csv"))
	if err != nil {
		return out, err
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return out, err
		}
		out.Files++
		out.Longest = max(out.Longest, info.Size())
		n, err := readOne(name)
		if err != nil {
			return out, fmt.Errorf("%s: %w", name, err)
		}
		out.Records += n
	}
	return out, nil
}

func readOne(name string) (n int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	last := time.Duration(0)
	for r, err := range trace.Each(f) {
		switch {
		case err != nil:
			return n, err
		case r.At < last:
			return n, fmt.Errorf("record %d came before the one ahead of it", n)
		}
		last = r.At
		n++
	}
	return n, nil
}
