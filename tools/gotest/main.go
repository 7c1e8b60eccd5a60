// Command gotest runs go test with the flags and packages it is given, prints
// what go test prints, and closes with one line that counts every test,
// subtest and example that ran: "N passed, N failed", and ", N skipped" where
// some were. A package that fails without a failed test of its own (it does
// not build, it panics, it exits) counts as one failure.
//
// The exit code is that of go test, and 1 where something failed or nothing
// ran at all.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		fail(err)
	}
	if err := cmd.Start(); err != nil {
		fail(err)
	}
	c := newCounter(os.Stdout)
	readErr := c.read(out)
	waitErr := cmd.Wait()
	fmt.Println(c.line())

	var exit *exec.ExitError
	switch {
	case errors.As(waitErr, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode())
	case waitErr != nil:
		fail(waitErr)
	case readErr != nil:
		fail(readErr)
	case c.failed > 0:
		os.Exit(1)
	case c.passed == 0:
		fail(errors.New("no test ran"))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gotest:", err)
	os.Exit(1)
}
