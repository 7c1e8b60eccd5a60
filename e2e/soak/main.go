// Command soak keeps the built proxy under too much load for a while, with
// everything that happens in a long life beside it: configurations that are
// loaded again, whole and broken; services that are restarted; callers that
// leave; WebSockets and gRPC that come and go. At its end nothing may be left
// in the proxy: no slot, no goroutine, no descriptor, and no memory that has
// grown. It exits with 1 if something is.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
)

func main() {
	var o options
	flag.DurationVar(&o.length, "for", 60*time.Second, "how long the load lasts")
	flag.Float64Var(&o.times, "load", 3, "offered load, in capacities of the services behind")
	program := flag.String("program", "", "the program to run; it is built if none is named")
	asJSON := flag.Bool("json", false, "print the result as JSON")
	flag.Parse()
	if o.length < time.Second || o.times <= 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "soak: --for at least 1s, --load above 0, and no arguments")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := run(ctx, o, *program, *asJSON)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, program string, asJSON bool) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "plimsoll-soak-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if program == "" {
		if program, err = process.Build(ctx, dir); err != nil {
			return false, err
		}
	}
	r, err := soak(ctx, o, program, dir)
	if err != nil {
		return false, err
	}
	if asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return r.OK, out.Encode(r)
	}
	r.print(os.Stdout)
	return r.OK, nil
}
