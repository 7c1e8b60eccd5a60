package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCounter(t *testing.T) {
	tests := []struct {
		name, in, line string
		prints, hides  []string
	}{
		{
			name: "nothing",
			line: "0 passed, 0 failed",
		},
		{
			name: "a pass with a subtest and a skip",
			in: `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"run","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`,
			line:   "2 passed, 0 failed, 1 skipped",
			prints: []string{"ok  \tp\t0.1s\n"},
			hides:  []string{"chatter", "PASS"},
		},
		{
			name: "a failure shows what the test wrote",
			in: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"reason\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
			line:   "0 passed, 1 failed",
			prints: []string{"reason\n", "FAIL\tp\t0.1s\n"},
		},
		{
			name: "a package that does not build is a failure",
			in: `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: undefined: x\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`,
			line:   "0 passed, 1 failed",
			prints: []string{"undefined: x", "[build failed]"},
		},
		{
			name: "a test that never ended is a failure",
			in: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`,
			line:   "0 passed, 1 failed",
			prints: []string{"--- FAIL: TestA (did not end)"},
		},
		{
			name: "so is a package that never ended",
			in:   `{"Action":"start","Package":"p"}`,
			line: "0 passed, 1 failed",
		},
		{
			name:   "what is no event is passed on",
			in:     "go: oops\n{\"not\":\"an event\"}\n",
			line:   "0 passed, 0 failed",
			prints: []string{"go: oops\n", "an event"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			c := newCounter(&out)
			if err := c.read(strings.NewReader(tt.in)); err != nil {
				t.Fatal(err)
			}
			if got := c.line(); got != tt.line {
				t.Errorf("%q, want %q", got, tt.line)
			}
			for _, s := range tt.prints {
				if !strings.Contains(out.String(), s) {
					t.Errorf("printed %q, want %q in it", out.String(), s)
				}
			}
			for _, s := range tt.hides {
				if strings.Contains(out.String(), s) {
					t.Errorf("printed %q, want no %q in it", out.String(), s)
				}
			}
		})
	}
}

// TestCommand runs the program on a real module, once sound, once broken in
// every way that go test knows.
func TestCommand(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "gotest")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(files map[string]string) (string, int) {
		dir := t.TempDir()
		files["go.mod"] = "module m\n\ngo 1.26\n"
		for p, text := range files {
			p = filepath.Join(dir, p)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(bin, "./...")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	const pass = "package a\nimport \"testing\"\nfunc TestA(t *testing.T) {}\n"

	out, code := run(map[string]string{"a/a_test.go": pass})
	if code != 0 || !strings.HasSuffix(out, "\n1 passed, 0 failed\n") || !strings.Contains(out, "ok  \tm/a\t") {
		t.Errorf("sound: exit %d\n%s", code, out)
	}
	out, code = run(map[string]string{
		"a/a_test.go": pass,
		"b/b_test.go": "package b\nimport \"testing\"\nfunc TestB(t *testing.T) { t.Fatal(\"on purpose\") }\n",
		"c/c_test.go": "package c\nimport \"testing\"\nfunc TestC(t *testing.T) { panic(\"on purpose\") }\n",
		"d/d_test.go": "package d\nimport (\"os\"; \"testing\")\nfunc TestMain(*testing.M) { os.Exit(3) }\n",
		"e/e_test.go": "package e\nvar x int = \"\"\n",
	})
	if code == 0 || !strings.HasSuffix(out, "\n1 passed, 4 failed\n") {
		t.Errorf("broken: exit %d, want 1 passed, 4 failed\n%s", code, out)
	}
	if out, code = run(map[string]string{"a/a.go": "package a\n"}); code == 0 {
		t.Errorf("no tests: exit 0\n%s", out)
	}
}
