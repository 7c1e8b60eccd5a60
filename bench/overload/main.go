// Command overload offers Plimsoll and other limiters more than a backend can
// serve, on real goroutines, and prints what reached a caller in time.
//
//	go run ./bench/overload             a table, in about four minutes
//	go run ./bench/overload --short     a rougher one, in about two
//	go run ./bench/overload --json      the same figures and every second for programs
//	go run ./bench/overload --doc FILE  a page of it
//
// The limiters are played side by side in one run; see package
// bench/internal/overload. What the machine does beside it shows: close what
// you can.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
	"github.com/plimsoll-go/plimsoll/bench/internal/overload"
)

// spinCommand makes this program play one policy alone.
const spinCommand = "spin-alone"

// plan is what is measured.
type plan struct {
	slots, spin overload.Plan
	rounds      int
	only        string
}

func defaults() plan {
	base := overload.Plan{Length: 120 * time.Second, Measure: time.Second, Load: 2, Deadline: time.Second, Seed: 1}
	spin := base
	spin.Length, spin.Measure = 16*time.Second, 2*time.Second
	return plan{slots: base, spin: spin, rounds: 1}
}

func main() {
	overload.Quiet()
	if len(os.Args) == 3 && os.Args[1] == spinCommand {
		exit(1, alone(os.Args[2]))
		return
	}
	p := defaults()
	asJSON := flag.Bool("json", false, "print JSON")
	doc := flag.String("doc", "", "write a page into this `file` as well")
	short := flag.Bool("short", false, "20 s before slots, 12 s of a handler that spins")
	flag.IntVar(&p.rounds, "rounds", p.rounds, "play everything so often, and print medians")
	flag.StringVar(&p.only, "only", "", "play one backend: slots or spin")
	length := flag.Duration("length", 0, "of an overload before slots; an eighth of it, and 6 s or more, before a handler that spins")
	flag.Parse()
	if *short {
		p.slots.Length, p.spin.Length = 20*time.Second, 12*time.Second
	}
	if *length != 0 {
		p.slots.Length, p.spin.Length = *length, max(*length/8, 6*time.Second)
	}
	exit(2, p.check(flag.Args()))
	r, err := p.run()
	exit(1, err)
	if *doc != "" {
		exit(1, os.WriteFile(*doc, []byte(r.Markdown(command(os.Args[1:]))), 0o644))
	}
	if *asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		exit(1, out.Encode(r))
		return
	}
	fmt.Print(r.Text())
}

// command is what measures the same again.
func command(args []string) string {
	if len(args) == 0 {
		return "make overload"
	}
	return "make overload OVERLOAD_FLAGS='" + strings.Join(args, " ") + "'"
}

// check reports every fault of a command line at once.
func (p plan) check(args []string) error {
	var faults []error
	fault := func(what string) { faults = append(faults, errors.New("want "+what)) }
	if len(args) > 0 {
		fault("flags only")
	}
	if p.rounds < 1 {
		fault("--rounds of 1 or more")
	}
	if p.only != "" && p.only != "slots" && p.only != "spin" {
		fault("--only slots or spin")
	}
	for _, what := range p.slots.Validate() {
		fault(what)
	}
	return errors.Join(faults...)
}

// run plays everything.
func (p plan) run() (*overload.Report, error) {
	r := &overload.Report{
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.GOMAXPROCS(0),
		Rounds: p.rounds, Length: p.slots.Length.Seconds(), SpinLength: p.spin.Length.Seconds(),
		Load: p.slots.Load, Deadline: p.slots.Deadline.Seconds(),
	}
	r.Busy.Before = meter.LoadAverage()
	var slots, spin [][]overload.Figures
	for i := range p.rounds {
		if p.only != "spin" {
			progress("round %d of %d: all before slots, %s", i+1, p.rounds, p.slots.Length)
			p.slots.Seed = uint64(i + 1)
			f, err := overload.RunSlots(p.slots)
			if err != nil {
				return nil, err
			}
			slots = append(slots, f)
		}
		if p.only != "slots" {
			p.spin.Seed = uint64(i + 1)
			f, err := p.spinAll(i)
			if err != nil {
				return nil, err
			}
			spin = append(spin, f)
		}
	}
	r.Slots, r.Spin = overload.Gather(slots), overload.Gather(spin)
	r.Busy.After = meter.LoadAverage()
	r.Judge()
	return r, nil
}

// spinAll plays one policy after another, each in a process of its own: what a
// limiter has learned of the processors is then nobody else's.
func (p plan) spinAll(round int) ([]overload.Figures, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out []overload.Figures
	for _, name := range overload.Policies() {
		progress("round %d of %d: %s before a handler that spins, %s", round+1, p.rounds, name, p.spin.Length)
		order, err := json.Marshal(job{Plan: p.spin, Policy: name})
		if err != nil {
			return nil, err
		}
		c := exec.Command(self, spinCommand, string(order))
		c.Stderr = os.Stderr
		answer, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		var f overload.Figures
		if err := json.Unmarshal(answer, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, f)
	}
	return out, nil
}

// job is what a process of its own plays.
type job struct {
	overload.Plan
	Policy string
}

func alone(order string) error {
	var j job
	if err := json.Unmarshal([]byte(order), &j); err != nil {
		return err
	}
	f, err := overload.RunSpin(j.Plan, j.Policy)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "overload: "+format+" ...\n", args...)
}

func exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "overload:", err)
		os.Exit(code)
	}
}
