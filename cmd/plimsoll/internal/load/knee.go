package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/knee"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/page"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// KneeFlags are those of a search for how much a service takes.
type KneeFlags struct {
	FindKnee bool           `help:"Find how much the service takes: step the rate until goodput stops following, then play 2x and 3x of that."`
	KneeFrom *float64       `placeholder:"N" help:"The first rate per second of the search (10)."`
	KneeMost *float64       `placeholder:"N" help:"The highest rate per second of the search (100000)."`
	KneeStep *time.Duration `placeholder:"TIME" help:"How long the search plays a rate (5s)."`
}

func (c *RunCmd) kneeConfig() knee.Config {
	return knee.Config{Start: given(c.KneeFrom), Most: given(c.KneeMost), Step: given(c.KneeStep), Within: given(c.For)}
}

// given is what a flag says; zero: it is absent.
func given[T any](flag *T) (value T) {
	if flag != nil {
		value = *flag
	}
	return value
}

// zero reports whether a flag says 0, by which a [knee.Config] means its default.
func zero[T comparable](flag *T) bool { return flag != nil && *flag == *new(T) }

// kneeless are the faults of flags of a search where there is none.
func (c *RunCmd) kneeless() (faults strict.Faults) {
	for _, f := range []struct {
		name  string
		given bool
	}{{"--knee-from", c.KneeFrom != nil}, {"--knee-most", c.KneeMost != nil}, {"--knee-step", c.KneeStep != nil}} {
		if f.given {
			faults = append(faults, strict.Fault{Key: f.name, Want: "want none without --find-knee"})
		}
	}
	return faults
}

// kneeFaults are those of the flags of a search, and of flags that make none
// with it.
func (c *RunCmd) kneeFaults() (faults strict.Faults) {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--rate", c.Rate != ""}, {"--replay", c.Replay != ""}, {"--speed", c.Speed != ""}, {"--threshold", len(c.Threshold) > 0},
	} {
		if f.given {
			faults = append(faults, strict.Fault{Key: f.name, Want: "want none beside --find-knee, which plays rates of its own"})
		}
	}
	for _, o := range c.given() {
		if kneeOutputs[o.flag] == nil {
			faults = append(faults, strict.Fault{Key: o.flag, Want: "want none beside --find-knee: there is no single run to write; --json and --html have the search"})
		}
	}
	if _, err := schedule.Parse("1/s", c.Arrivals, time.Second); err != nil {
		faults = append(faults, scheduleFaults(err)...)
	}
	for _, f := range []struct {
		name string
		zero bool
	}{{"--knee-from", zero(c.KneeFrom)}, {"--knee-most", zero(c.KneeMost)}, {"--knee-step", zero(c.KneeStep)}, {"--for", zero(c.For)}} {
		if f.zero {
			faults = append(faults, strict.Fault{Key: f.name, Want: "want more than 0"})
		}
	}
	for _, f := range asFaults("--find-knee", c.kneeConfig().Validate()) {
		f.Want = strings.TrimPrefix(f.Want, "knee: ")
		for _, of := range kneeFlags {
			if strings.HasPrefix(f.Want, of.want) {
				f.Key = of.flag
			}
		}
		faults = append(faults, f)
	}
	return faults
}

// kneeFlags are the flags of what a search wants.
var kneeFlags = []struct{ want, flag string }{
	{"want a first rate", "--knee-from"}, {"want a highest rate", "--knee-most"}, {"want steps", "--knee-step"}, {"want time for", "--for"},
}

// interrupted is what ends a search.
var errInterrupted = errors.New("interrupted")

// findKnee searches and prints what it found.
func (c *RunCmd) findKnee(ctx context.Context, k *kong.Context, in *input) error {
	report, err := knee.Find(c.kneeConfig(), func(probe knee.Probe) (knee.Point, error) {
		text := fmt.Sprintf("step %g/s:%s", probe.Rate, probe.Length)
		if probe.Back > 0 {
			text += fmt.Sprintf(", %g/s:%s", probe.Back, probe.Length)
		}
		var err error
		if in.plan.Schedule, err = schedule.Parse(text, c.Arrivals, 0); err != nil {
			return knee.Point{}, fmt.Errorf("load: a step of the search: %w", err)
		}
		in.plan.Seed++ // steps are not the same requests again
		r, err := c.play(ctx, k.Stderr, in)
		if err == nil && r.Interrupted {
			err = errInterrupted
		}
		return knee.PointOf(&r.Result, probe.Length.Seconds()), err
	})
	report.Target = in.plan.Name
	stopped := errors.Is(err, errInterrupted)
	if err != nil && !stopped {
		return err
	}
	if c.report() {
		if err := knee.Write(k.Stdout, &report); err != nil {
			return fmt.Errorf("load: %w", err)
		}
	}
	if err := c.saveKnee(k.Stdout, &report); err != nil {
		return err
	}
	if stopped {
		return &ended{"load: interrupted; the report is of what ran", exitInterrupted}
	}
	switch report.Ended {
	case knee.Generator:
		return &ended{"load: the search is invalid: " + report.Why, exitInvalid}
	case knee.Nothing:
		return &ended{"load: " + report.Why, exitMissed}
	}
	return nil
}

// kneeOutputs are what a search is written as, by flag.
var kneeOutputs = map[string]func(io.Writer, *knee.Report) error{
	"--json": func(w io.Writer, report *knee.Report) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(report)
	},
	"--html": page.WriteKnee,
}

func (c *RunCmd) saveKnee(w io.Writer, report *knee.Report) error {
	return c.each(w, func(o output, w io.Writer) error { return kneeOutputs[o.flag](w, report) })
}
