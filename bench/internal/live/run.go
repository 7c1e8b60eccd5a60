package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/backend"
	"github.com/plimsoll-go/plimsoll/bench/internal/fronts"
	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// Backend is what a program that calls [Role] is started with to be the
// service.
const Backend = "backend"

// Stage is where rows are played.
type Stage struct {
	fronts.Facts
	Self     string        // a program that calls Role
	Plimsoll string        // the program: proxy, and load generator
	Folder   string        // for files
	Closed   time.Duration // how long the capacity is measured
}

// Role does what the program of a part does when args say so, until in ends;
// false: they do not.
func Role(args []string, f fronts.Facts, in io.Reader, out io.Writer) (bool, error) {
	if len(args) == 1 && args[0] == Backend {
		return true, backend.Serve(f.Slots, f.Service, in, out)
	}
	return fronts.Role(args, in, out)
}

// Capacity measures what the service can answer in a second.
func (s Stage) Capacity(ctx context.Context) (float64, error) {
	service, err := process.Start(s.Self, Backend)
	if err != nil {
		return 0, err
	}
	defer service.Stop()
	return capacity(ctx, service.Address, s.Slots, s.Service, s.Closed)
}

// Play plays a row against a front, and says what it made of it.
func (s Stage) Play(ctx context.Context, f fronts.Front, program string, r Row, capacity float64, seed uint64) (out Figures, err error) {
	folder, err := os.MkdirTemp(s.Folder, f.Name)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	service, err := process.Start(s.Self, Backend)
	if err != nil {
		return out, err
	}
	defer service.Stop()
	front, err := f.Start(ctx, fronts.Site{Facts: s.Facts, Upstream: service.Address, Folder: folder, Self: s.Self, Program: program})
	if err != nil {
		return out, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer front.Stop()
	if err := backend.Follow(service.Admin, r.changes(s.Service)); err != nil {
		return out, err
	}
	used, err := front.TreeCPU()
	if err != nil {
		return out, err
	}
	idle := spare()
	o, err := load(ctx, s.Plimsoll, arguments(r, "http://"+front.Address+"/", capacity, s.Deadline, seed))
	if err != nil {
		return out, err
	}
	left := idle()
	after, err := front.TreeCPU()
	if err != nil {
		return out, fmt.Errorf("%s has ended: %w\n%s", f.Name, err, front.Said())
	}
	if out, err = figures(r, capacity, o); err != nil {
		return out, err
	}
	out.Front, out.Idle = f.Name, left
	if o.All.Attempts > 0 {
		out.CPU = 1000 * (after - used).Seconds() * 1000 / float64(o.All.Attempts)
	}
	if left < leastIdle {
		out.Void = append(out.Void, fmt.Sprintf("the processors were busy: %.0f %% of their time was left", 100*left))
	}
	return out, nil
}

// leastIdle is the share of the processors' time that nobody may have had
// during a run for it to count: with less, whatever was slow may have been so
// for want of a processor.
const leastIdle = 0.04

// spare returns what says which share of the processors' time nobody has used
// since; all, where the system does not tell.
func spare() func() float64 {
	start := time.Now()
	before, ok := meter.Idle()
	return func() float64 {
		after, ok2 := meter.Idle()
		if !ok || !ok2 {
			return 1
		}
		return (after - before).Seconds() / time.Since(start).Seconds() / float64(runtime.NumCPU())
	}
}

// changes are what the row has the service do to itself.
func (r Row) changes(service time.Duration) []backend.Change {
	var out []backend.Change
	begins := time.Duration(0)
	for _, p := range r.Phases {
		out = append(out, backend.Change{After: begins, Holds: time.Duration(float64(service) * p.Slower), Delay: p.Delay})
		begins += time.Duration(p.Seconds) * time.Second
	}
	return out
}
