package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// mostAgain is how many failed tests may be run again: more are no accident.
const mostAgain = 3

// failures are those of a run, by test and package.
type failures struct {
	packages, tests []string
	certain         bool // there is one that no second run undoes
}

// ended notes a failed test and what it wrote. Of a subtest, it is the test
// that can be run again.
func (f *failures) ended(pkg, test, wrote string) {
	top, _, _ := strings.Cut(test, "/")
	if !slices.Contains(f.packages, pkg) {
		f.packages = append(f.packages, pkg)
	}
	if !slices.Contains(f.tests, top) {
		f.tests = append(f.tests, top)
	}
	f.judge(wrote)
}

// judge notes what is a fault however the machine was busy: a race, a panic.
func (f *failures) judge(wrote string) {
	f.certain = f.certain || strings.Contains(wrote, "WARNING: DATA RACE") || strings.Contains(wrote, "panic: ")
}

// worth says whether running again can tell anything.
func (f *failures) worth() bool {
	return !f.certain && len(f.tests) > 0 && len(f.tests) <= mostAgain
}

// again runs the tests that failed once more, alone, with the flags of the
// first run. It returns nil if all of them pass now.
func (f *failures) again(w io.Writer, flags []string) error {
	fmt.Fprintf(w, "once more, alone: %s\n", strings.Join(f.tests, " "))
	names := make([]string, len(f.tests))
	for i, t := range f.tests {
		names[i] = regexp.QuoteMeta(t)
	}
	args := slices.Concat([]string{"test", "-json"}, f.packages, flags, []string{"-run=^(" + strings.Join(names, "|") + ")$"})
	c := newCounter(w)
	if err := c.run(exec.Command("go", args...)); err != nil {
		return err
	}
	if c.failed > 0 || c.passed == 0 {
		return errors.New(c.line())
	}
	return nil
}

// flagsOf are the flags among the arguments of go test, each of them a word of
// its own as in -timeout=5m; what is left are packages.
func flagsOf(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return !strings.HasPrefix(a, "-") })
}
