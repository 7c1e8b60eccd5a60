// Command pgo runs the benchmarks of a package and writes what they spent their
// time on as a profile that go build optimizes by, as it finds it beside a main
// package (https://go.dev/doc/pgo):
//
//	go run ./tools/pgo -bench 'Forward|Refuse' -o cmd/plimsoll/default.pgo ./cmd/plimsoll/internal/proxy
//
// The profile keeps functions, lines and weights, and nothing of the machine
// that it was made on.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/google/pprof/profile"
)

func main() {
	bench := flag.String("bench", ".", "the `benchmarks`, as go test takes them")
	long := flag.String("benchtime", "10s", "for how `long` each")
	out := flag.String("o", "", "the profile's `file`")
	flag.Parse()
	if err := run(*bench, *long, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pgo:", err)
		os.Exit(1)
	}
}

func run(bench, long, out string, packages []string) error {
	if out == "" || len(packages) != 1 {
		return errors.New("want -o FILE and one package")
	}
	folder, err := os.MkdirTemp("", "pgo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	raw := filepath.Join(folder, "cpu.pprof")
	// -pgo=off: what is inlined already would have no calls to count.
	test := exec.Command("go", "test", "-pgo=off", "-trimpath", "-run=^$", "-bench="+bench, "-benchtime="+long,
		"-cpuprofile="+raw, "-o="+filepath.Join(folder, "bench.test"), packages[0])
	test.Stdout, test.Stderr = os.Stderr, os.Stderr
	if err := test.Run(); err != nil {
		return fmt.Errorf("%s: %w", test, err)
	}
	in, err := os.Open(raw)
	if err != nil {
		return err
	}
	defer in.Close()
	p, err := profile.Parse(in)
	if err != nil {
		return err
	}
	return write(anonymous(p), out)
}

// anonymous takes out where the program that was measured was, and when.
func anonymous(p *profile.Profile) *profile.Profile {
	for _, m := range p.Mapping {
		m.File, m.BuildID = "", ""
	}
	for _, l := range p.Location {
		l.Address = 0
	}
	p.TimeNanos, p.DurationNanos, p.Comments = 0, 0, nil
	return p
}

// write writes the profile beside the old one, and then in its place.
func write(p *profile.Profile, path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "pgo")
	if err != nil {
		return err
	}
	err = errors.Join(p.Write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
