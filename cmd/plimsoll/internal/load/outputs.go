package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/page"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/report"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/threshold"
)

// Outputs are the flags of what is written beside the report.
type Outputs struct {
	JSON string `name:"json" placeholder:"FILE" help:"Write the result as JSON, which plimsoll load compare reads. -: on standard output, in the place of the report."`
	CSV  string `name:"csv" placeholder:"FILE" help:"Write what happened second by second, by class, as CSV."`
	HLog string `name:"hlog" placeholder:"FILE" help:"Write latency second by second, by class, as a log of histograms (HdrHistogram)."`
	HTML string `name:"html" placeholder:"FILE" help:"Write a page that shows it all, with plots, in one file that loads nothing."`
}

// played is a run that is over.
type played struct {
	result.Result
	tally    *tally.Tally
	verdicts []threshold.Verdict
}

// output is a file that is to be written.
type output struct {
	flag, file string
	write      func(io.Writer, *played) error
}

// given are those that the command line asks for.
func (o *Outputs) given() (out []output) {
	for _, f := range []output{
		{"--json", o.JSON, func(w io.Writer, r *played) error { return result.Write(w, &r.Result) }},
		{"--csv", o.CSV, func(w io.Writer, r *played) error { return report.CSV(w, &r.Result) }},
		{"--hlog", o.HLog, func(w io.Writer, r *played) error { return report.HLog(w, r.Began, r.tally.Intervals()) }},
		{"--html", o.HTML, func(w io.Writer, r *played) error {
			return page.WriteLoad(w, page.Load{Result: &r.Result, Verdicts: r.verdicts})
		}},
	} {
		if f.file != "" {
			out = append(out, f)
		}
	}
	return out
}

// stdout is what goes there in the place of the report, if anything does.
const stdout = "-"

// faults are what keeps files from being written, found before anything is
// sent: a result that nobody has is a run for nothing. None of them may be a file
// that is read.
func (o *Outputs) faults(read ...string) (faults strict.Faults) {
	given := o.given()
	for i, f := range given {
		want := ""
		for _, other := range given[:i] {
			if same(f.file, other.file) {
				want = "want another file than " + other.flag + ", have " + f.file
			}
		}
		if f.file != stdout && want == "" {
			if want = unwritable(f.file); want == "" && slices.ContainsFunc(read, func(r string) bool { return same(f.file, r) }) {
				want = "want another file than one that is read, have " + f.file
			}
		}
		if want != "" {
			faults = append(faults, strict.Fault{Key: f.flag, Want: want})
		}
	}
	return faults
}

// same reports whether two names are of one file, which the one who writes it
// would take from the other.
func same(a, b string) bool {
	if a == stdout || b == stdout {
		return a == b
	}
	there, err := os.Stat(a)
	other, err2 := os.Stat(b)
	if err == nil && err2 == nil && os.SameFile(there, other) {
		return there.Mode().IsRegular() || a == b
	}
	return filepath.Clean(a) == filepath.Clean(b)
}

// unwritable says what is wanted instead of a file that cannot be written; "": it
// can be. Of one that is there nothing is changed, and none is left that was not.
func unwritable(name string) string {
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Sprintf("want a file in a directory that exists, have %s: make %s first", name, dir)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return "want a file, have the directory " + name
	case err == nil && !info.Mode().IsRegular():
		return "" // opening a pipe waits for its reader
	}
	f, errOpen := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if errOpen != nil {
		return fmt.Sprintf("want a file that can be written, have %s: %s", name, strict.Cause(errOpen))
	}
	_ = f.Close()
	if errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(name)
	}
	return ""
}

// report reports whether the report goes to standard output.
func (o *Outputs) report() bool {
	for _, f := range o.given() {
		if f.file == stdout {
			return false
		}
	}
	return true
}

// save writes all of them.
func (o *Outputs) save(w io.Writer, r *played) error {
	return o.each(w, func(f output, w io.Writer) error { return f.write(w, r) })
}

// each calls write for all of them, with w for what goes to standard output. One
// that cannot be written does not keep the others from it.
func (o *Outputs) each(w io.Writer, write func(output, io.Writer) error) error {
	var errs []error
	for _, f := range o.given() {
		var err error
		if f.file == stdout {
			err = write(f, w)
		} else {
			err = toFile(f.file, func(w io.Writer) error { return write(f, w) })
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("load: %s: %w", f.flag, err))
		}
	}
	return errors.Join(errs...)
}

// toFile writes a file.
func toFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = write(f)
	return errors.Join(err, f.Close())
}
