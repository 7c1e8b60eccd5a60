package arch

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// tree parses a repository written as path -> text.
func tree(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for p, text := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(text)}
	}
	if _, ok := fsys["go.mod"]; !ok {
		fsys["go.mod"] = &fstest.MapFile{Data: []byte("module example.org/m\n")}
	}
	tr, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// want holds that there is one fault per line, each containing its line.
func want(t *testing.T, got []string, parts ...string) {
	t.Helper()
	if len(got) != len(parts) {
		t.Fatalf("have %d faults, want %d:\n%s", len(got), len(parts), strings.Join(got, "\n"))
	}
	for i := range parts {
		if !strings.Contains(got[i], parts[i]) {
			t.Errorf("fault %d: have %q, want it to contain %q", i, got[i], parts[i])
		}
	}
}

func TestLoad(t *testing.T) {
	tr := tree(t, map[string]string{
		"a/a.go":            "package a\n",
		"a/a_test.go":       "package a_test\n",
		"a/testdata/x.go":   "not Go",
		".hidden/x.go":      "not Go",
		"_old/x.go":         "not Go",
		".ci/run":           "#!/bin/sh\n",
		"cmd/p/go.mod":      "module example.org/m/cmd/p\n",
		"cmd/p/in/in.go":    "package in\n",
		"cmd/p/picture.png": "\x00",
	})
	if tr.Module != "example.org/m" {
		t.Errorf("module %q", tr.Module)
	}
	if len(tr.Packages) != 2 || tr.Package("a").Module != "." || tr.Package("cmd/p/in").Module != "cmd/p" {
		t.Errorf("packages: %+v", tr.Packages)
	}
	if n := len(tr.Package("a").code()); n != 1 {
		t.Errorf("%d files without tests, want 1", n)
	}
	if len(tr.Texts) != 6 {
		t.Errorf("%d texts, want 6", len(tr.Texts))
	}
	if _, err := Load(fstest.MapFS{"x.go": {Data: []byte("pack age")}, "y.go": {Data: []byte("pack age")}}); err == nil ||
		!strings.Contains(err.Error(), "x.go") || !strings.Contains(err.Error(), "y.go") {
		t.Errorf("error %v, want both files named", err)
	}
}

func TestRequirements(t *testing.T) {
	want(t, tree(t, map[string]string{
		"go.mod":       "module example.org/m\n\ngo 1.26\n\nrequire example.org/x v1.0.0\n",
		"cmd/p/go.mod": "module example.org/m/cmd/p\n\nrequire example.org/m v0.0.0\n\nreplace example.org/m => ../..\n",
	}).Requirements(), "cmd/p/go.mod:5: replace", "go.mod:5: require")
	want(t, tree(t, map[string]string{
		"go.mod":       "module example.org/m\n\ngo 1.26\n",
		"cmd/p/go.mod": "module example.org/m/cmd/p\n\nrequire (\n\texample.org/x v1.0.0\n)\n",
	}).Requirements())
}

func TestArrows(t *testing.T) {
	house := []Room{
		{Dir: ".", Imports: []string{"a", "internal/core"}},
		{Dir: "a"},
		{Dir: "b", Imports: []string{"a"}},
		{Dir: "internal/core"},
		{Dir: "planned", Imports: []string{"a"}},
	}
	files := map[string]string{
		"m.go":                  "package m\nimport (\n_ \"example.org/m/a\"\n_ \"example.org/m/internal/core\"\n)",
		"a/a.go":                "package a\nimport _ \"fmt\"",
		"a/a_test.go":           "package a\nimport _ \"example.org/m/b\"",
		"b/b.go":                "package b\nimport _ \"example.org/m/a\"",
		"internal/core/core.go": "package core",
		"cmd/p/go.mod":          "module example.org/m/cmd/p",
		"cmd/p/main.go":         "package main\nimport (\n_ \"example.org/m\"\n_ \"example.org/m/cmd/p/internal/x\"\n)",
		"cmd/p/internal/x/x.go": "package x",
	}
	want(t, tree(t, files).Arrows(house))

	files["a/a.go"] = "package a\nimport _ \"example.org/m\"\nimport _ \"example.org/m/cmd/p\""
	files["c/c.go"] = "package c"
	files["cmd/p/main.go"] = "package main\nimport _ \"example.org/m/internal/core\""
	want(t, tree(t, files).Arrows(house),
		"a/a.go:2: a imports .: its arrows are []",
		"a/a.go:3: a imports cmd/p: the library never imports a nested module",
		"c: not in the house: add one line",
		"cmd/p/main.go:2: cmd/p imports internal/core: a nested module uses the library as everybody else does",
	)
}

func TestImpurities(t *testing.T) {
	house := []Room{{Dir: "p", Pure: true}, {Dir: "s"}, {Dir: "planned", Pure: true}}
	files := map[string]string{
		"p/p.go": `package p
import ("math/rand/v2"; "time"; "example.org/m/s")
func f(now time.Duration, r *rand.Rand) time.Duration { s.Do(); return now + time.Duration(r.Int64()) }
type clock struct{ Now int }
func g(time clock) int { return time.Now }`,
		"p/open.go":   "package p\nimport \"sync/atomic\"\nvar n atomic.Int64",
		"p/p_test.go": "package p\nimport \"sync\"\nvar mu sync.Mutex",
		"s/s.go":      "package s\nimport \"sync\"\nvar mu sync.Mutex\nfunc Do() { go mu.Lock() }",
	}
	permitted := map[string]string{"p/open.go": "sync/atomic"}
	want(t, tree(t, files).Impurities(house, permitted))
	want(t, tree(t, files).Impurities(house, nil), "p/open.go:2: imports sync/atomic")

	files["p/do.go"] = "package p\nimport (\"context\"; \"time\")\nvar _ context.Context\nvar _ = time.Now()"
	permitted["p/do.go"] = "context time.Now"
	want(t, tree(t, files).Impurities(house, permitted))
	permitted["p/do.go"] = "context"
	want(t, tree(t, files).Impurities(house, permitted), "p/do.go:4: time.Now")
	delete(files, "p/do.go")

	files["p/p.go"] = `package p
import ("os"; mrand "math/rand/v2"; clk "time")
func f(c chan int) {
	go f(nil)
	c <- 1
	<-c
	select {}
	_ = clk.Now
	_ = clk.NewTimer
	_ = mrand.IntN(3)
	_ = os.Args
}`
	want(t, tree(t, files).Impurities(house, permitted),
		"p/p.go:10: rand.IntN", "p/p.go:2: imports os", "p/p.go:3: channel", "p/p.go:4: go statement",
		"p/p.go:5: channel", "p/p.go:6: channel", "p/p.go:7: channel", "p/p.go:8: time.Now", "p/p.go:9: time.NewTimer")
}

func TestTouches(t *testing.T) {
	tests := []struct{ imports, body, want string }{
		{`"time"`, "_ = time.Second", ""},
		{`"time"`, "_ = time.Now()", "clock"},
		{`"context"`, "context.WithTimeout(nil, 1)", "clock"},
		{`"context"`, "context.AfterFunc(nil, nil)", "goroutine"},
		{`"context"`, "context.WithCancel(nil)", ""},
		{`"errors"`, "go errors.New(\"\")", "goroutine"},
		{`"sync"`, "var wg sync.WaitGroup; wg.Go(nil)", "goroutine lock"},
		{`"net"`, "net.Listen(\"tcp\", \"\")", "socket"},
		{`"net"`, "_ = net.ParseIP", ""},
		{`"net/http"`, "_ = http.DefaultTransport", "socket"},
		{`"net/http"`, "_ = http.Error", ""},
		{`"net/http"`, "_ = &http.Server{}", "socket"},
		{`"net/http"`, "var s *http.Server; _ = s", ""},
		{`"math/rand"`, "_ = rand.Int()", "random"},
		{`"math/rand/v2"`, "_ = rand.New(nil)", ""},
		{`"os"`, "_ = os.Args", "files"},
		{`"os"`, "_ = os.ErrDeadlineExceeded", ""},
	}
	for _, tt := range tests {
		tr := tree(t, map[string]string{"a.go": "package a\nimport " + tt.imports + "\nfunc f() { " + tt.body + " }"})
		if got := tr.Package(".").Files[0].Touches(); got != tt.want {
			t.Errorf("%s: touches %q, want %q", tt.body, got, tt.want)
		}
	}
}

func TestBudget(t *testing.T) {
	house := []Room{{Dir: "p", Pure: true}, {Dir: "s"}}
	tr := tree(t, map[string]string{
		"s/clock.go":    "package s\nimport \"time\"\nvar t = time.Now()",
		"s/plain.go":    "package s",
		"s/s_test.go":   "package s\nimport \"time\"\nvar u = time.Now()",
		"p/p.go":        "package p",
		"cmd/p/go.mod":  "module example.org/m/cmd/p",
		"cmd/p/main.go": "package main\nimport \"os\"\nvar a = os.Args",
	})
	want(t, tr.Budget(house, map[string]string{"s/clock.go": "clock"}))
	want(t, tr.Budget(house, nil), "s/clock.go: touches [clock], may touch []")
	want(t, tr.Budget(house, map[string]string{"s/clock.go": "clock", "s/plain.go": "lock", "s/gone.go": "lock"}),
		"s/gone.go: in the budget of arch_test.go, but no such file", "s/plain.go: touches [], may touch [lock]")
}

func TestPackageComments(t *testing.T) {
	want(t, tree(t, map[string]string{
		"a/a.go":         "// Package a is one.\npackage a",
		"a/b.go":         "package a",
		"cmd/p/main.go":  "// Command p runs.\npackage main",
		"only/x_test.go": "package only",
	}).PackageComments())
	want(t, tree(t, map[string]string{
		"a/a.go": "// Package a is one.\npackage a",
		"a/b.go": "// Package a is another.\npackage a",
		"b/b.go": "package b",
		"c/c.go": "// This is c.\npackage c",
	}).PackageComments(), "a: package comments in a/a.go and a/b.go", "b: no package comment", `c/c.go:2: the package comment begins "Package c ..."`)
}

func TestUndocumented(t *testing.T) {
	want(t, tree(t, map[string]string{
		"a/a.go": `package a
// F is documented.
func F() {}
func g() {}
type hidden struct{}
func (hidden) String() string { return "" }
// T is documented.
type T[K any] struct{ Field int }
// M is documented.
func (*T[K]) M() {}
// The constants.
const (
	A = 1
	B = 2
)
var (
	C = 1 // a trailing comment counts
	d = 2
)
// I is documented.
type I interface {
	// Do is documented.
	Do()
}`,
		"a/a_test.go":   "package a\nfunc Helper() {}",
		"cmd/p/go.mod":  "module example.org/m/cmd/p",
		"cmd/p/main.go": "package main\nfunc Exported() {}",
	}).Undocumented())
	want(t, tree(t, map[string]string{"a/a.go": `package a
func F() {}
type T[K, V any] struct{}
func (t *T[K, V]) M() {}
const A = 1
var B, c = 1, 2
// I is documented.
type I interface {
	Do()
}`}).Undocumented(), "a/a.go:2: F", "a/a.go:3: T", "a/a.go:4: M", "a/a.go:5: A", "a/a.go:6: B", "a/a.go:9: Do")
}

func TestOversize(t *testing.T) {
	tr := tree(t, map[string]string{
		"a/a.go":      "package a\n\n// F is documented, which does not count.\nfunc F() {\n\tF()\n}\n",
		"a/a_test.go": "package a\n" + strings.Repeat("\n", 99),
	})
	want(t, tr.Oversize(6, 3))
	want(t, tr.Oversize(5, 2), "a/a.go: 6 lines, at most 5", "a/a.go:4: F has 3 lines, at most 2")
}

func TestWords(t *testing.T) {
	tr := tree(t, map[string]string{
		"a/a.go":          "package a // see /srv/me/a",
		"README.md":       "See CONTRIBUTING.md, GONE.md and https://example.org/x/OTHER.md\n",
		"CONTRIBUTING.md": "fine",
		"rules.go":        "package m // /srv/me",
	})
	rules := []Rule{{regexp.MustCompile(`/srv/`), "a path of one machine"}}
	want(t, tr.Words(rules, "rules.go"), `a/a.go:1: it says "/srv/": a path of one machine`)
	want(t, tr.DanglingPages(), "README.md:1: it points to GONE.md")
	want(t, tr.DanglingPages("README.md"))
}

func TestSleeps(t *testing.T) {
	want(t, tree(t, map[string]string{
		"a/a.go": "package a\nimport \"time\"\nfunc f() { time.Sleep(1) }",
		"a/a_test.go": `package a
import ("testing"; "testing/synctest"; "time")
func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) { time.Sleep(1); wait() }) }
func TestB(t *testing.T) { synctest.Test(t, testB) }
func testB(t *testing.T) { time.Sleep(1); wait() }
func wait() { time.Sleep(1); deeper() }
func deeper() { time.Sleep(1) }
func bubble(t *testing.T, f func(*testing.T)) { synctest.Test(t, f) }
func around(t *testing.T, f func()) { bubble(t, func(t *testing.T) { f() }) }
func TestC(t *testing.T) { around(t, func() { time.Sleep(1) }) }
func TestD(t *testing.T) { f := func() { time.Sleep(1) }; around(t, func() { f() }) }`,
	}).Sleeps())
	want(t, tree(t, map[string]string{
		"a/a_test.go": `package a
import ("testing"; "testing/synctest"; "time")
func TestA(t *testing.T) { time.Sleep(1) }
func TestB(t *testing.T) { synctest.Test(t, func(t *testing.T) { both() }) }
func TestC(t *testing.T) { both() }
func both() { deeper() }
func deeper() { time.Sleep(1) }
func unused() { time.Sleep(1) }
func twice(t *testing.T, f func(*testing.T)) { synctest.Test(t, f); f(t) }
func TestD(t *testing.T) { twice(t, func(t *testing.T) { time.Sleep(1) }) }
func TestE(t *testing.T) { t.Run("", func(t *testing.T) { time.Sleep(1); synctest.Test(t, nil) }) }
func TestF(t *testing.T) { for i := 0; i < 3; i++ { time.Sleep(1) } }
func until(done func() bool) { for !done() { time.Sleep(1) } }`,
	}).Sleeps(), "a/a_test.go:10", "a/a_test.go:11", "a/a_test.go:12", "a/a_test.go:13", "a/a_test.go:3", "a/a_test.go:7", "a/a_test.go:8")
}

func TestPage(t *testing.T) {
	tr := tree(t, map[string]string{
		"m.go":          "package m\n\nimport _ \"example.org/m/a\"\n",
		"m_test.go":     "package m\n\nimport _ \"example.org/m/b\"\n",
		"a/a.go":        "package a\n",
		"b/b.go":        "package b\n\nimport (\n\t_ \"example.org/m\"\n\t_ \"example.org/m/a\"\n)\n",
		"c/c.go":        "package c\n",
		"n/go.mod":      "module example.org/m/n\n",
		"n/in/x/x.go":   "package x\n",
		"n/in/y/y.go":   "package y\n",
		"n/other/z.go":  "package other\n",
		"PAGE.md":       "| `m` (the root) | all | a |\n| `a` | *pure* | – |\n| `b` | b | m |\n\n| `x` | x: `x.go`, `in/y/y.go`, `in/y.go` |\n",
		"n/in/text.txt": "`y`",
	})
	want(t, tr.Page("PAGE.md", []Room{{Dir: "b", Pure: true}}, "n/in"),
		"a: pure: want false", "b: have the imports [m], want [a m]", "b: pure: want true", "c: it has no row", "in/y.go: no such file", "n/in/y: not there")
}

func TestTables(t *testing.T) {
	tr := tree(t, map[string]string{
		"a.md": "| a | b |\n|---|---|\n| x | y \\| z |\n| x | `y | z` |\n\n| a |\n|---|\n||\n|\n",
		"b.md": "```\n| a |\n| a | b |\n```\n",
		"c.go": "package c\n\n/*\n| a |\n| a | b |\n*/\n",
	})
	want(t, tr.Tables(), "a.md:4: a row with 4 pipes in a table with 3", "a.md:9: a row with 1 pipes in a table with 2")
}
