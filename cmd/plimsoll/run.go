package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// The exit codes. A command whose error is an ExitCoder picks its own, such
// as 3 for an invalid measurement and 99 for a threshold that was missed.
const (
	exitOK      = 0
	exitFailure = 1
	exitInput   = 2
)

// ExitCoder is an error that says with which code the program ends.
type ExitCoder interface {
	error
	ExitCode() int
}

// checker is a command that can name every fault of its input without doing
// anything.
type checker interface{ Check() error }

// exit is how kong's own --help ends: by a panic that run recovers.
type exit int

// run runs the program and returns its exit code.
func run(args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			e, ok := v.(exit)
			if !ok {
				panic(v)
			}
			code = int(e)
		}
	}()
	parser := newParser(stdout, stderr)
	args, faults := unknownFlags(parser.Model, helped(parser.Model, usual(args)))
	ctx, values, err := parse(parser, args)
	faults = append(faults, values...)
	switch {
	case err != nil && len(values) > 0 && strings.HasPrefix(err.Error(), "missing flags: "):
		// It is there, with a value that is none.
	case err != nil:
		faults = append(faults, faultOf(err)...)
	case len(faults) > 0:
		faults = append(faults, faultsOf(ctx)...)
	default:
		err = ctx.Run()
	}
	if len(faults) > 0 {
		err = faults
	}
	return report(err, stderr)
}

// newParser returns what reads the command line.
func newParser(stdout, stderr io.Writer) *kong.Kong {
	var table commands
	parser, err := kong.New(&table,
		kong.Name("plimsoll"),
		kong.Description("Keeps a service's goodput, the answers that reach a caller who is still waiting, at capacity, whatever arrives."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.WithHyphenPrefixedParameters(true), // --limit -1 is a wrong limit, not a flag
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		panic(err) // a mistake in the table
	}
	return parser
}

// faultsOf asks the chosen command what is wrong with its input.
func faultsOf(ctx *kong.Context) strict.Faults {
	node := ctx.Selected()
	if node == nil {
		return nil
	}
	command, ok := node.Target.Addr().Interface().(checker)
	if !ok {
		return nil
	}
	faults, _ := strict.FaultsOf(command.Check())
	return faults
}

// report prints an error and returns the exit code that it stands for.
func report(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	if faults, ok := strict.FaultsOf(err); ok {
		fmt.Fprintln(stderr, faults)
		return exitInput
	}
	fmt.Fprintf(stderr, "plimsoll: %s\n", err)
	var coder ExitCoder
	if errors.As(err, &coder) {
		return coder.ExitCode()
	}
	return exitFailure
}
