package load

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/threshold"
)

// The exit codes of a load beside those of all commands.
const (
	exitInvalid     = 3
	exitInterrupted = 130 // as a shell says of what SIGINT has ended
)

// ended is an error that says how the program ends.
type ended struct {
	text string
	code int
}

// Error says why.
func (e *ended) Error() string { return e.text }

// ExitCode is that of the program.
func (e *ended) ExitCode() int { return e.code }

// conclude prints the report and writes the files, and returns as an error what
// is not as it should be: that a run was interrupted before that it is invalid,
// of which nothing else can be said, and that before a threshold.
func (c *RunCmd) conclude(k *kong.Kong, thresholds threshold.Set, r *result.Result) error {
	verdicts := thresholds.Judge(r)
	if c.report() {
		text(k.Stdout, r)
		if len(verdicts) > 0 {
			fmt.Fprintln(k.Stdout)
			_ = threshold.Write(k.Stdout, verdicts)
		}
	}
	var errs []error
	if r.Interrupted {
		errs = append(errs, &ended{"load: interrupted; the report is of what ran", exitInterrupted})
	}
	if len(r.Invalid) > 0 {
		errs = append(errs, &ended{"load: the run is invalid\n  " + strings.Join(r.Invalid, "\n  "), exitInvalid})
	}
	return errors.Join(append(errs, c.save(k.Stdout, r), threshold.Missed(verdicts))...)
}

// text writes a result for people.
func text(w io.Writer, r *result.Result) {
	a := &r.All
	fmt.Fprintf(w, "%s: %s, %.1f of %.0f s\n", r.Target, r.Schedule, r.Ran, r.Length)
	fmt.Fprintf(w, "offered %d, sent %d, good %d, late %d, refused %d, failed %d, skipped %v, attempts %d\n",
		a.Offered, a.Sent, a.Good, a.Late, sum(a.Refused), sum(a.Failed), a.Skipped, a.Attempts)
	for _, t := range []struct {
		name string
		of   *result.Times
	}{{"latency", &a.Latency}, {"service", &a.Service}, {"slip", &a.Slip}} {
		fmt.Fprintf(w, "%-8s mean %.2f ms, p50 %.2f, p90 %.2f, p99 %.2f, max %.2f\n", t.name, t.of.Mean, t.of.P50, t.of.P90, t.of.P99, t.of.Max)
	}
}

func sum(by map[string]int64) (n int64) {
	for _, v := range by {
		n += v
	}
	return n
}
