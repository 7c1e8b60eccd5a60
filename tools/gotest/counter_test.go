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

// What a second run forgives, and what it does not.
func TestAgain(t *testing.T) {
	bin := build(t)
	flaky := func(name, fault string) string {
		return "package x\nimport (\"os\"; \"testing\")\nfunc " + name + "(t *testing.T) {\n" +
			"if _, err := os.Stat(\"seen-" + name + "\"); err == nil { return }\n" +
			"os.WriteFile(\"seen-" + name + "\", nil, 0o600)\n" + fault + "\n}\n"
	}
	const fatal = "t.Run(\"sub\", func(t *testing.T) { t.Fatal(\"busy\") })"
	for _, tt := range []struct {
		name  string
		files map[string]string
		line  string
		code  int
		wants string
	}{
		{"nothing to forgive", map[string]string{"a/a_test.go": strings.ReplaceAll(passing, "package a", "package x")},
			"1 passed, 0 failed", 0, "ok  \tm/a\t"},
		{"two that pass alone", map[string]string{"a/a_test.go": flaky("TestA", fatal), "b/b_test.go": flaky("TestB", fatal), "c/c_test.go": passing},
			"1 passed, 0 failed, 2 passed only when run again", 0, "        b_test.go:6: busy\n"},
		{"one that fails again", map[string]string{"a/a_test.go": flaky("TestA", fatal), "b/b_test.go": "package b\nimport \"testing\"\nfunc TestB(t *testing.T) { t.Fatal(\"always\") }\n"},
			"0 passed, 3 failed", 1, "    a_test.go:6: busy"},
		{"a panic", map[string]string{"a/a_test.go": flaky("TestA", "panic(1)")}, "0 passed, 1 failed", 1, "panic: 1"},
		{"too many", map[string]string{"a/a_test.go": flaky("TestA", fatal), "b/b_test.go": flaky("TestB", fatal), "c/c_test.go": flaky("TestC", fatal), "d/d_test.go": flaky("TestD", fatal)},
			"0 passed, 8 failed", 1, "FAIL\tm/d\t"},
		{"what does not build", map[string]string{"a/a_test.go": flaky("TestA", fatal), "e/e_test.go": "package e\nvar x int = \"\"\n"},
			"0 passed, 3 failed", 1, "cannot use"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, code := run(t, tt.files, bin, "-again", "-timeout=1m", "./...")
			if code != tt.code || !strings.HasSuffix(out, "\n"+tt.line+"\n") || !strings.Contains(out, tt.wants) {
				t.Errorf("exit %d, want %d, %q and %q in\n%s", code, tt.code, tt.line, tt.wants, out)
			}
		})
	}
}

const passing = "package a\nimport \"testing\"\nfunc TestA(t *testing.T) {}\n"

// build builds the program.
func build(t *testing.T) (bin string) {
	bin = filepath.Join(t.TempDir(), "gotest")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// run runs it on a module.
func run(t *testing.T, files map[string]string, command ...string) (string, int) {
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
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// TestCommand runs the program on a real module, once sound, once broken in
// every way that go test knows.
func TestCommand(t *testing.T) {
	bin := build(t)
	run := func(files map[string]string) (string, int) { return run(t, files, bin, "./...") }

	out, code := run(map[string]string{"a/a_test.go": passing})
	if code != 0 || !strings.HasSuffix(out, "\n1 passed, 0 failed\n") || !strings.Contains(out, "ok  \tm/a\t") {
		t.Errorf("sound: exit %d\n%s", code, out)
	}
	out, code = run(map[string]string{
		"a/a_test.go": passing,
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
