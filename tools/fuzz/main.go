// Command fuzz runs every fuzz target of the packages that it is given for a
// short while, one after the other:
//
//	go run ./tools/fuzz -each 5s -total 2m work
//
// Targets are found, not listed. Each gets -each of fuzzing, or its even share
// of -total where that is less, but no less than a second; compiling comes on
// top. It stops at the first failure, whose input go test has then written
// below the package's testdata.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	each := flag.Duration("each", 5*time.Second, "fuzz each target for this `long`")
	total := flag.Duration("total", 2*time.Minute, "fuzz all of them for this `long` at most")
	flag.Parse()
	if err := run(*each, *total, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

func run(each, total time.Duration, packages []string) error {
	list := exec.Command("go", append([]string{"test", "-list", "^Fuzz"}, packages...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("the packages do not build: %w\n%s", err, out)
	}
	targets := parseList(string(out))
	if len(targets) == 0 {
		return fmt.Errorf("no fuzz target in %s", strings.Join(packages, " "))
	}
	time := share(each, total, len(targets))
	for _, t := range targets {
		if err := t.fuzz(time); err != nil {
			return err
		}
	}
	fmt.Printf("%d fuzz targets passed, %s each\n", len(targets), time)
	return nil
}

// share is how long each of n targets is fuzzed.
func share(each, total time.Duration, n int) time.Duration {
	return max(time.Second, min(each, total/time.Duration(n)))
}

// target is one fuzz function.
type target struct{ pkg, name string }

// parseList reads the output of go test -list: the names of a package's
// targets, one a line, then its "ok" line.
func parseList(out string) []target {
	var found []target
	var names []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz"):
			names = append(names, fields[0])
		case len(fields) > 1 && fields[0] == "ok":
			for _, name := range names {
				found = append(found, target{fields[1], name})
			}
			names = nil
		}
	}
	return found
}

func (t target) fuzz(long time.Duration) error {
	fmt.Printf("%s %s\n", t.pkg, t.name)
	out, err := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", long.String(), t.pkg).CombinedOutput()
	if err == nil || stoppedLate(string(out)) {
		return nil
	}
	return fmt.Errorf("%s in %s: %w\n%s", t.name, t.pkg, err, out)
}

// stoppedLate reports whether a run failed only because a worker was still
// busy when the time was up. Go before 1.27 counts that as a failure, without
// an input to show for it (https://go.dev/issue/75804).
func stoppedLate(out string) bool {
	return strings.Contains(out, "\n    context deadline exceeded\n") &&
		!strings.Contains(out, "Failing input written to") && !strings.Contains(out, "panic:")
}
