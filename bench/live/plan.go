package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/fronts"
	"github.com/plimsoll-go/plimsoll/bench/internal/live"
	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// plan is what is played.
type plan struct {
	lengths live.Lengths
	fronts  []fronts.Front
	rows    []live.Row
	rounds  int
	seed    uint64
	program string        // the program; empty: it is built
	closed  time.Duration // how long the capacity is measured in each row
}

var (
	full  = newPlan(live.Lengths{Calm: 2, Measured: 7, After: 4}, time.Second)
	short = newPlan(live.Lengths{Calm: 1, Measured: 4, After: 2}, 700*time.Millisecond, "1x", "2x", "10x", "half", "slower", "retries", "flood")
)

func newPlan(l live.Lengths, closed time.Duration, rows ...string) plan {
	p := plan{lengths: l, fronts: fronts.All, rows: live.Rows(l), closed: closed}
	if len(rows) > 0 {
		p.rows = slices.DeleteFunc(p.rows, func(r live.Row) bool { return !slices.Contains(rows, r.Name) })
	}
	return p
}

// names are those of all fronts and rows.
func names(p plan) []string {
	var all []string
	for _, f := range p.fronts {
		all = append(all, f.Name)
	}
	for _, r := range p.rows {
		all = append(all, r.Name)
	}
	return all
}

// keep keeps the fronts and the rows that are named, all fronts when none is,
// and all rows when none is. It returns what is neither.
func (p *plan) keep(only string) (unknown []string) {
	if only == "" {
		return nil
	}
	known, named := names(*p), strings.Split(only, ",")
	for _, n := range named {
		if !slices.Contains(known, n) {
			unknown = append(unknown, n)
		}
	}
	if f := slices.DeleteFunc(slices.Clone(p.fronts), func(f fronts.Front) bool { return !slices.Contains(named, f.Name) }); len(f) > 0 {
		p.fronts = f
	}
	if r := slices.DeleteFunc(slices.Clone(p.rows), func(r live.Row) bool { return !slices.Contains(named, r.Name) }); len(r) > 0 {
		p.rows = r
	}
	return unknown
}

// again is how often a void run is played once more, and timeAgain how long all
// of those may take, as a part of what everything takes otherwise.
const (
	again     = 2
	timeAgain = 0.25
)

// played is a front that can be played.
type played struct {
	fronts.Front
	program string
}

// run plays everything.
func (p plan) run(ctx context.Context) (*live.Report, error) {
	folder, err := os.MkdirTemp("", "plimsoll-live")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	s := live.Stage{Facts: facts, Folder: folder, Closed: p.closed}
	if s.Self, err = os.Executable(); err != nil {
		return nil, err
	}
	if s.Plimsoll = p.program; s.Plimsoll == "" {
		progress("building the program")
		if s.Plimsoll, err = process.Build(ctx, folder); err != nil {
			return nil, err
		}
	}
	r := &live.Report{
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(), Began: time.Now(), Rounds: p.rounds,
		Deadline: facts.Deadline.Seconds(), Slots: facts.Slots, Service: 1000 * facts.Service.Seconds(), Lengths: p.lengths,
	}
	var all []played
	for _, f := range p.fronts {
		program, version, why := s.Plimsoll, "", ""
		if f.Need != "" {
			program, version, why = get(ctx, f.Need)
		}
		r.Fronts = append(r.Fronts, live.About(f, facts, version, why))
		if why == "" {
			all = append(all, played{f, program})
		} else {
			progress("%s is skipped: %s", f.Name, why)
		}
	}
	r.Busy.Before = meter.LoadAverage()
	spare := p.spare(len(all))
	for i, row := range p.rows {
		out, err := p.row(ctx, s, row, all, r, &spare, fmt.Sprintf("row %d of %d, %s", i+1, len(p.rows), row.Name))
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, out)
	}
	r.Busy.After, r.Took = meter.LoadAverage(), time.Since(r.Began).Seconds()
	return r, nil
}

// spare is for how many seconds runs that were void may be played again.
func (p plan) spare(fronts int) int {
	sum := 0
	for _, r := range p.rows {
		sum += p.rounds * fronts * r.Seconds()
	}
	return int(timeAgain * float64(sum))
}

// row plays a row with all fronts, one after the other, round by round.
func (p plan) row(ctx context.Context, s live.Stage, row live.Row, all []played, r *live.Report, spare *int, what string) (live.RowReport, error) {
	out := live.RowReport{Name: row.Name, Title: row.Title, Cells: make([]live.Cell, len(all))}
	for round := range p.rounds {
		capacity, err := s.Capacity(ctx)
		if err != nil {
			return out, err
		}
		r.Saw(capacity)
		for k := range all {
			i := (k + round) % len(all) // nobody is first each time
			f, cell := all[i], &out.Cells[i]
			for try := range 1 + again {
				progress("%s, round %d of %d: %s, %d s", what, round+1, p.rounds, f.Name, row.Seconds())
				figures, err := s.Play(ctx, f.Front, f.program, row, capacity, p.seed+uint64(round))
				if err != nil {
					return out, errors.Join(fmt.Errorf("%s, %s", f.Name, row.Name), err)
				}
				cell.Rounds = append(cell.Rounds, figures)
				if len(figures.Void) == 0 {
					break
				}
				*spare -= row.Seconds()
				progress("%s: void, try %d of %d: %s", f.Name, try+1, 1+again, strings.Join(figures.Void, "; "))
				if *spare < 0 {
					break
				}
			}
		}
	}
	for i := range out.Cells {
		c := &out.Cells[i]
		c.Median, c.Valid = live.Median(c.Rounds)
	}
	return out, nil
}

// get gets a program that is not of this module, where it can be had, and its
// version. Why not empty: it cannot.
func get(ctx context.Context, name string) (path, version, why string) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/plimsoll-go/plimsoll").Output()
	if err != nil {
		return "", "", err.Error()
	}
	out, err := exec.CommandContext(ctx, filepath.Join(strings.TrimSpace(string(root)), "tools", "need.sh"), name).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", "", strings.TrimSpace(string(exit.Stderr))
	}
	if err != nil {
		return "", "", err.Error()
	}
	path = strings.TrimSpace(string(out))
	said, err := exec.CommandContext(ctx, path, "-v").CombinedOutput()
	if err != nil {
		return "", "", fmt.Sprintf("%s -v: %v", path, err)
	}
	version, _, _ = strings.Cut(string(said), "\n")
	return path, strings.TrimPrefix(version, "nginx version: "), ""
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "live: "+format+"\n", args...)
}
