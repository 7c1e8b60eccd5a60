package load

import (
	"context"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/threshold"
)

// patience is how long the service may take to accept a connection, before
// anything is sent.
const patience = 5 * time.Second

// input is what a command line says, made and held until the run is over.
type input struct {
	plan       Plan
	thresholds threshold.Set
	trace      *os.File
	metrics    *exposition // nil: nobody asks
}

// close gives back what reading has opened.
func (in *input) close() {
	if in.trace != nil {
		_ = in.trace.Close()
	}
	if in.plan.Target != nil {
		_ = in.plan.Target.Close()
	}
	if in.metrics != nil {
		in.metrics.close()
	}
}

// Check returns every fault of the flags, the files and the service that they
// name. It sends nothing.
func (c *RunCmd) Check() error {
	in, err := c.read(context.Background())
	if err == nil {
		in.close()
	}
	return err
}

// read makes a plan of the command line. The error is [strict.Faults], all of
// them at once.
func (c *RunCmd) read(ctx context.Context) (*input, error) {
	in := &input{plan: Plan{Name: c.URL, Seed: c.Seed, InFlight: c.MaxInFlight, MaxSlip: c.MaxSlip}}
	var faults strict.Faults
	flag := func(name, want string) { faults = append(faults, strict.Fault{Key: name, Want: want}) }
	if c.MaxInFlight < 1 || c.MaxInFlight > mostInFlight {
		flag("--max-in-flight", "want a number of requests from 1 to "+strconv.Itoa(mostInFlight)+", have "+strconv.Itoa(c.MaxInFlight))
	}
	if c.MaxSlip <= 0 || c.MaxSlip > mostSlip {
		flag("--max-slip", "want a time above 0, up to "+mostSlip.String()+", have "+c.MaxSlip.String())
	}
	if c.FindKnee {
		faults = append(faults, c.kneeFaults()...)
	} else {
		faults = append(faults, c.kneeless()...)
		faults = append(faults, c.readSchedule(in)...)
	}
	faults = append(faults, c.Outputs.faults(c.reads()...)...)
	if c.Metrics != "" {
		var err error
		if in.metrics, err = expose(c.Metrics); err != nil {
			flag("--metrics", "want an address to listen at, such as 127.0.0.1:9464: "+err.Error())
		}
	}
	var err error
	if in.plan.Mix, err = c.mix().Mix(c.Replay != ""); err != nil {
		faults = append(faults, asFaults("", err)...)
	}
	if in.thresholds, err = threshold.ParseAll(c.Threshold, in.plan.load(c.Replay != "")); err != nil {
		faults = append(faults, asFaults("--threshold", err)...)
	}
	faults = append(faults, c.reach(ctx, in)...)
	if len(faults) > 0 {
		in.close()
		return nil, faults.Err()
	}
	return in, nil
}

// reads are the files that a run is made of, as far as the command line names
// them.
func (c *RunCmd) reads() (names []string) {
	for _, name := range []string{c.Replay, c.File, c.BodyFile, c.CA, c.Descriptors} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// mix is what the flags say of classes, which are of gRPC where the URL is.
func (c *RunCmd) mix() *mix.Flags {
	f := c.Flags
	if f.Protocol == "" && (strings.HasPrefix(c.URL, "grpc:") || strings.HasPrefix(c.URL, "grpcs:")) {
		f.Protocol = mix.GRPC.String()
	}
	return &f
}

// load is what thresholds are held against, as far as it could be read.
func (p *Plan) load(recorded bool) threshold.Load {
	l := threshold.Load{Unread: p.Mix == nil, Peaks: true}
	if p.Schedule != nil {
		_, l.Peaks = p.Schedule.LastPeak()
	}
	if p.Mix != nil {
		for _, c := range p.Mix.Classes {
			of := threshold.Class{Name: c.Name, Criticality: c.Criticality, Attempts: max(c.Retry.Attempts, 1)}
			if !recorded { // a trace has deadlines of its own
				of.Deadline = c.Deadline
			}
			l.Classes = append(l.Classes, of)
		}
	}
	return l
}

// mostInFlight bounds memory, at some tens of kilobytes for each.
const mostInFlight = 100_000

// mostSlip is one with which a run is no longer an open loop at all.
const mostSlip = time.Minute

// readSchedule makes the schedule, of a rate or of a trace.
func (c *RunCmd) readSchedule(in *input) (faults strict.Faults) {
	flag := func(name, want string) { faults = append(faults, strict.Fault{Key: name, Want: want}) }
	var err error
	switch {
	case c.Replay != "":
		for _, f := range []struct {
			name  string
			given bool
		}{{"--rate", c.Rate != ""}, {"--arrivals", c.Arrivals != ""}, {"--for", c.For != nil}} {
			if f.given {
				flag(f.name, "want none beside --replay: the trace says when requests are due")
			}
		}
		speed, ok := speedOf(c.Speed)
		if !ok {
			flag("--speed", "want a factor such as 2x or 0.5x, have "+strconv.Quote(c.Speed))
			speed = 1
		}
		in.plan.Schedule, in.trace, err = replay(c.Replay, speed)
	case c.Rate == "":
		flag("--rate", "want a rate, "+schedule.Forms+"; or a trace with --replay")
		fallthrough
	default:
		if c.Speed != "" {
			flag("--speed", "want none without --replay: only a trace has one")
		}
		ok := c.For == nil || *c.For > 0
		if !ok {
			flag("--for", "want a time above 0, have "+c.For.String())
		}
		if c.Rate != "" && ok {
			in.plan.Schedule, err = schedule.Parse(c.Rate, c.Arrivals, given(c.For))
		}
	}
	return append(faults, scheduleFaults(err)...)
}

// speedOf reads 2x, and 2 as well.
func speedOf(text string) (float64, bool) {
	if text == "" {
		return 1, true
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	return v, err == nil
}

// replay opens a trace and makes a schedule of it.
func replay(name string, speed float64) (*schedule.Schedule, *os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, strict.Faults{{File: name, Want: "want a trace that can be read: " + strict.Cause(err).Error()}}
	}
	info, err := f.Stat()
	var s *schedule.Schedule
	switch {
	case err != nil:
	case info.IsDir():
		err = strict.Faults{{File: name, Want: "want a file with a trace, have a directory"}}
	case !info.Mode().IsRegular(): // it is read more than once
		err = strict.Faults{{File: name, Want: "want a file with a trace, have a pipe or a device"}}
	default:
		s, err = schedule.Replay(name, f, info.Size(), speed)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return s, f, nil
}

// flagsOf are the flags of what a schedule names.
var flagsOf = map[string]string{"rate": "--rate", "arrivals": "--arrivals", "duration": "--for", "speed": "--speed"}

// scheduleFaults are those of a schedule, by the flags that they are of.
func scheduleFaults(err error) strict.Faults {
	all := asFaults("--replay", err)
	for i, f := range all {
		if flag, ok := flagsOf[f.Key]; ok && f.File == "" {
			all[i].Key = flag
		}
	}
	return all
}

// asFaults are the faults in an error, or one of all that it says.
func asFaults(key string, err error) strict.Faults {
	if err == nil {
		return nil
	}
	if faults, ok := strict.FaultsOf(err); ok {
		return faults
	}
	var out strict.Faults
	for text := range strings.Lines(err.Error()) {
		out = append(out, strict.Fault{Key: key, Want: strings.TrimSpace(text)})
	}
	return out
}

// dialFaults are those of a target: of its options by their flags, and else of its
// URL.
func dialFaults(err error) (out strict.Faults) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return asFaults("<url>", err)
	}
	for _, err := range joined.Unwrap() {
		out = append(out, asFaults("<url>", err)...)
	}
	return out
}

// reach makes the target and finds out whether anybody is there.
func (c *RunCmd) reach(ctx context.Context, in *input) strict.Faults {
	u, err := url.Parse(c.URL)
	if err != nil {
		return strict.Faults{{Key: "<url>", Want: "want http://host:port, or https, grpc or grpcs, have " + strconv.Quote(c.URL)}}
	}
	in.plan.Name = u.Redacted()
	var classes []*mix.Class
	if in.plan.Mix != nil {
		classes = in.plan.Mix.Classes
	}
	in.plan.Target, err = target.Dial(u, classes, target.Options{
		CA: c.CA, Insecure: c.Insecure, Descriptors: c.Descriptors, TenantHeader: c.TenantHeader, LevelHeader: c.LevelHeader,
	})
	if err != nil {
		return dialFaults(err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return asFaults("<url>", in.plan.Target.Reach(ctx))
}
