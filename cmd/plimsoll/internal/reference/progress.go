package reference

import (
	"fmt"
	"io"
	"os"
)

// progressOn returns what shows progress on a terminal; nil where w is none.
func progressOn(w io.Writer) func(id string, done, of int) {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return func(id string, done, of int) { fmt.Fprintf(f, "\r\x1b[K%s: run %d of %d", id, done, of) }
}
