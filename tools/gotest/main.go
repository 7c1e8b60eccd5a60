// Command gotest runs go test with the flags and packages it is given, prints
// what go test prints, and closes with one line that counts every test,
// subtest and example that ran: "N passed, N failed", and ", N skipped" where
// some were. A package that fails without a failed test of its own (it does
// not build, it panics, it exits) counts as one failure.
//
// The exit code is that of go test, and 1 where something failed or nothing
// ran at all.
//
// With -again as the first flag, and all others written as one word
// (-timeout=5m), up to three failed tests are run once more, alone, when
// everything else has ended: a machine that is shared may have been too busy
// for them. If they pass then, the run has passed, and says which they were,
// with what they wrote when they failed, so that they can be mended. Never
// forgiven are a data race, a panic, a test without an end and a package that
// does not build.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	args := os.Args[1:]
	c := newCounter(os.Stdout)
	var held bytes.Buffer
	retry := len(args) > 0 && args[0] == "-again"
	if retry {
		args, c.fails = args[1:], &held
	}
	err := c.run(exec.Command("go", slices.Concat([]string{"test", "-json"}, args)...))
	if retry && c.worth() && c.again(os.Stdout, flagsOf(args)) == nil {
		fmt.Printf("They failed beside the others:\n%s", indented(held.String()))
		c.forgive()
		held.Reset()
		err = nil
	}
	os.Stdout.Write(held.Bytes())
	fmt.Println(c.line())
	end(c, err)
}

// end ends the program as go test did.
func end(c *counter, err error) {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode())
	case err != nil:
		fail(err)
	case c.failed > 0:
		os.Exit(1)
	case c.passed == 0:
		fail(errors.New("no test ran"))
	}
}

func indented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("    " + line)
	}
	return out.String()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gotest:", err)
	os.Exit(1)
}
