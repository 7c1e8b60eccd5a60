package load

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
// sent: a result that nobody has is a run for nothing.
func (o *Outputs) faults() (faults strict.Faults) {
	by := map[string]string{}
	for _, f := range o.given() {
		if other, twice := by[f.file]; twice {
			faults = append(faults, strict.Fault{Key: f.flag, Want: "want another file than " + other + ", have " + f.file})
		}
		by[f.file] = f.flag
		if f.file == stdout {
			continue
		}
		dir := filepath.Dir(f.file)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			faults = append(faults, strict.Fault{Key: f.flag, Want: fmt.Sprintf("want a file in a directory that exists, have %s: make %s first", f.file, dir)})
		} else if info, err := os.Stat(f.file); err == nil && info.IsDir() {
			faults = append(faults, strict.Fault{Key: f.flag, Want: "want a file, have the directory " + f.file})
		}
	}
	return faults
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
