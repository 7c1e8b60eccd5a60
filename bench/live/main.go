// Command live starts the same service behind one front after another, nothing,
// nginx, HAProxy, two Go proxies with other limiters and Plimsoll's proxy, sends
// each more than the service can do, and prints what reached callers in time.
//
//	go run ./bench/live                     all rows, in about a quarter of an hour
//	go run ./bench/live --short             fewer and shorter rows, in about six minutes
//	go run ./bench/live --only nginx,2x     some fronts and rows
//	go run ./bench/live --json              the same figures and every run for programs
//	go run ./bench/live --doc FILE          a page of it
//
// nginx and HAProxy come from Debian where they are not there yet. What the
// machine does beside it shows, and may make runs void: close what you can. See
// package bench/internal/live.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/fronts"
	"github.com/plimsoll-go/plimsoll/bench/internal/live"
)

// facts are what is known of the service: it is that of `plimsoll demo`.
var facts = fronts.Facts{Slots: 8, Service: 17400 * time.Microsecond, Deadline: time.Second}

func main() {
	if part, err := live.Role(os.Args[1:], facts, os.Stdin, os.Stdout); part {
		exit(1, err)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := full
	asJSON := flag.Bool("json", false, "print JSON")
	doc := flag.String("doc", "", "write a page into this `file` as well")
	brief := flag.Bool("short", false, "the rows that differ most, and those shorter")
	only := flag.String("only", "", "play these fronts and rows only, their names with commas between them: "+strings.Join(names(full), " "))
	rounds := flag.Int("rounds", 1, "play everything so often, and print medians")
	seed := flag.Uint64("seed", 1, "seed of the arrivals, of the first round")
	program := flag.String("program", "", "the plimsoll to play with, a `file`; it is built if there is none")
	flag.Parse()
	if *brief {
		p = short
	}
	p.rounds, p.seed, p.program = *rounds, *seed, *program
	exit(2, p.check(flag.Args(), *only, *doc))
	r, err := p.run(ctx)
	exit(1, err)
	if *doc != "" {
		exit(1, os.WriteFile(*doc, []byte(r.Markdown(command(os.Args[1:]))), 0o644))
	}
	if !*asJSON {
		fmt.Print(r.Text())
		return
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	exit(1, out.Encode(r))
}

// command is what measures the same again.
func command(args []string) string {
	if len(args) == 0 {
		return "make live"
	}
	return "make live LIVE_FLAGS='" + strings.Join(args, " ") + "'"
}

// check reports every fault of a command line at once, and keeps what was asked
// for.
func (p *plan) check(args []string, only, doc string) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf("want "+format, args...)) }
	if len(args) > 0 {
		fault("flags only, have %q", args)
	}
	if p.rounds < 1 {
		fault("--rounds of 1 or more, have %d", p.rounds)
	}
	known := names(*p)
	for _, unknown := range p.keep(only) {
		fault("--only of %s, have %q", strings.Join(known, ", "), unknown)
	}
	if doc != "" {
		// Before a quarter of an hour of measuring, not after.
		if err := writable(doc); err != nil {
			fault("a file to write for --doc: %v", err)
		}
	}
	return errors.Join(faults...)
}

// writable tries to open a file for writing, and leaves everything as it was.
func writable(file string) error {
	_, err := os.Stat(file)
	fresh := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	err = f.Close()
	if fresh {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

func exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(code)
	}
}
