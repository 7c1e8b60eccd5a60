package fronts

import (
	"context"
	"io"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// Facts are what somebody who tunes a front knows of the service.
type Facts struct {
	Slots    int           // jobs that it does at once
	Service  time.Duration // what a job takes
	Deadline time.Duration // after which callers leave
}

// Capacity is in answers per second.
func (f Facts) Capacity() float64 { return float64(f.Slots) / f.Service.Seconds() }

// Site is where a front is to stand.
type Site struct {
	Facts
	Upstream string // host:port of the service
	Folder   string // where it may write its files
	Self     string // a program that calls Role
	Program  string // where what Need says is
}

// Front is one of what may stand before a service.
type Front struct {
	Name  string             // short, one word
	Title string             // in full
	Tuned string             // how it was tuned: Markdown
	File  func(Facts) string // the file that was written for it; nil: there is none
	Need  string             // the program that it is; empty: it is one of ours
	start func(context.Context, Site) (*process.Process, error)
}

// Plimsoll and Nothing are the names of two of them.
const (
	Plimsoll = "plimsoll"
	Nothing  = "nothing"
)

// All are the fronts, in the order of a table.
var All = []Front{
	{Name: Nothing, Title: "nothing", Tuned: "Callers ask the service itself."},
	nginx, haproxy, failsafeGo, aegis, plimsoll,
}

// Start starts a front and waits until it takes requests. With [Nothing] there
// is no process: callers go to the service.
func (f Front) Start(ctx context.Context, s Site) (*process.Process, error) {
	if f.start == nil {
		return &process.Process{Address: s.Upstream}, nil
	}
	return f.start(ctx, s)
}

// Role does what the program of a front of ours does when args are its role,
// until in ends; false: they are not.
func Role(args []string, in io.Reader, out io.Writer) (bool, error) {
	switch {
	case len(args) == 3 && args[0] == failsafeRole:
		return true, serveFailsafe(args[1], args[2], in, out)
	case len(args) == 2 && args[0] == aegisRole:
		return true, serveAegis(args[1], in, out)
	}
	return false, nil
}
