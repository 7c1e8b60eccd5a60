package platforms

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/plimsoll-go/plimsoll/sim" // whoever changes it has this test run again
)

// sim is the directory of the package whose tests are run.
const sim = "../../sim"

// TestGoldenEverywhere: the golden reports of package sim come out the same on
// 386 and on wasm as here. What cannot be run is skipped, and says why.
func TestGoldenEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and emulates for half a minute")
	}
	read(t)
	for _, p := range []struct {
		name, os, arch string
		run            [][]string // ways to run a program, the first that works is taken
		wants          string
	}{
		{"386", "linux", "386", [][]string{{}, {"qemu-i386"}, {"qemu-i386-static"}}, "a kernel that runs 32-bit programs, or qemu-i386 of QEMU 8 or later"},
		{"wasm", "js", "wasm", [][]string{{"node", filepath.Join(goroot(t), "lib/wasm/wasm_exec_node.js")}}, "node"},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "sim.test")
			build := exec.Command("go", "test", "-vet=off", "-c", "-o", program, ".")
			build.Dir = sim
			build.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("building: %v\n%s", err, out)
			}
			for _, way := range p.run {
				play := func(test string) (string, error) {
					line := append(way[:len(way):len(way)], program, "-test.v", "-test.run", test)
					c := exec.Command(line[0], line[1:]...)
					c.Dir = sim
					out, err := c.CombinedOutput()
					return string(out), err
				}
				if out, err := play("^$"); err != nil {
					t.Logf("%q does not run it: %v %.200s", way, err, out)
					continue
				}
				out, err := play("^TestGolden$")
				if err != nil || !strings.Contains(out, "--- PASS: TestGolden") {
					t.Errorf("%q: %v\n%s", way, err, out)
				}
				t.Logf("%q: %s", way, out)
				return
			}
			t.Skip("not run: wants " + p.wants)
		})
	}
}

// read reads the tests that are run, so that a change of theirs, too, has this
// one run again.
func read(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(sim, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
