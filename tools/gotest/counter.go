package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// event is a line of go test -json, as cmd/test2json documents it.
type event struct {
	Action     string
	Package    string
	ImportPath string // of what does not build
	Test       string // empty: the package itself
	Output     string
}

// counter turns the events of go test -json back into its usual output and
// counts how tests ended.
type counter struct {
	w                       io.Writer
	fails                   io.Writer // gets what has failed: w, where it is not to be run again
	passed, failed, skipped int
	late                    int // failed, and passed when they were run again

	running  map[string]map[string]*strings.Builder // package, test ("" for the package): output so far
	hasFail  map[string]bool                        // packages with a failed test
	failures                                        // to run again
}

func newCounter(w io.Writer) *counter {
	return &counter{w: w, fails: w, running: map[string]map[string]*strings.Builder{}, hasFail: map[string]bool{}}
}

// run has go test, which is to write events, run and counted.
func (c *counter) run(cmd *exec.Cmd) error {
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := c.read(out)
	return errors.Join(cmd.Wait(), readErr)
}

// read consumes events until the end of r. Lines that are no events are
// passed on.
func (c *counter) read(r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
				c.add(e)
			} else {
				fmt.Fprint(c.w, line)
			}
		}
		if err == io.EOF {
			c.unfinished()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c *counter) add(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(c.w, e.Output)
	case "start", "run":
		c.output(e.Package, e.Test)
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") {
			c.output(e.Package, e.Test).WriteString(e.Output)
		}
	case "pass", "fail", "skip":
		if e.Test == "" {
			c.endPackage(e)
		} else {
			c.endTest(e)
		}
	}
}

func (c *counter) output(pkg, test string) *strings.Builder {
	if c.running[pkg] == nil {
		c.running[pkg] = map[string]*strings.Builder{}
	}
	if c.running[pkg][test] == nil {
		c.running[pkg][test] = &strings.Builder{}
	}
	return c.running[pkg][test]
}

func (c *counter) endTest(e event) {
	switch e.Action {
	case "pass":
		c.passed++
	case "skip":
		c.skipped++
	case "fail":
		c.failed++
		c.hasFail[e.Package] = true
		c.ended(e.Package, e.Test, c.output(e.Package, e.Test).String())
		fmt.Fprint(c.fails, c.output(e.Package, e.Test))
	}
	delete(c.running[e.Package], e.Test)
}

// endPackage prints go test's line for the package, and everything it wrote
// if it failed. Tests that it left without an end have failed.
func (c *counter) endPackage(e event) {
	text := c.output(e.Package, "").String()
	delete(c.running[e.Package], "")
	for test, out := range c.running[e.Package] {
		c.failed++
		c.hasFail[e.Package] = true
		c.certain = true
		fmt.Fprintf(c.fails, "%s--- FAIL: %s (did not end)\n", out, test)
	}
	delete(c.running, e.Package)
	if e.Action == "fail" {
		if !c.hasFail[e.Package] {
			c.failed++
			c.certain = true
		}
		c.judge(text)
		fmt.Fprint(c.fails, text)
		return
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") || strings.HasPrefix(line, "\t") {
			fmt.Fprint(c.w, line)
		}
	}
}

// unfinished counts packages that never ended, as when go test is killed.
func (c *counter) unfinished() {
	for pkg := range c.running {
		c.endPackage(event{Action: "fail", Package: pkg})
	}
}

// forgive counts those that failed apart, as they have passed since.
func (c *counter) forgive() { c.failed, c.late = 0, len(c.tests) }

func (c *counter) line() string {
	s := fmt.Sprintf("%d passed, %d failed", c.passed, c.failed)
	if c.late > 0 {
		s += fmt.Sprintf(", %d passed only when run again", c.late)
	}
	if c.skipped > 0 {
		s += fmt.Sprintf(", %d skipped", c.skipped)
	}
	return s
}
