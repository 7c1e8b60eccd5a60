package load

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/report"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/threshold"
)

// The exit codes of a load beside those of all commands.
const (
	exitInvalid     = 3
	exitMissed      = 99
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
func (c *RunCmd) conclude(k *kong.Context, thresholds threshold.Set, r *played) error {
	r.verdicts = thresholds.Judge(&r.Result)
	var errs []error
	if c.report() {
		errs = append(errs, report.Text(k.Stdout, &r.Result))
		if len(r.verdicts) > 0 {
			fmt.Fprintln(k.Stdout)
			errs = append(errs, threshold.Write(k.Stdout, r.verdicts))
		}
	}
	if r.Interrupted {
		errs = append(errs, &ended{"load: interrupted; the report is of what ran", exitInterrupted})
	}
	if len(r.Invalid) > 0 {
		errs = append(errs, &ended{"load: the run is invalid\n  " + strings.Join(r.Invalid, "\n  "), exitInvalid})
	}
	return errors.Join(append(errs, c.save(k.Stdout, r), threshold.Missed(r.verdicts))...)
}
