package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// pureImports are the packages of the standard library that compute from
// their arguments alone.
var pureImports = []string{
	"bytes", "cmp", "container/heap", "container/list", "container/ring",
	"encoding", "encoding/base64", "encoding/binary", "encoding/hex",
	"errors", "fmt", "hash", "hash/crc32", "hash/fnv", "iter", "maps", "math", "math/bits", "math/cmplx",
	"math/rand/v2", "slices", "sort", "strconv", "strings", "text/tabwriter", "time",
	"unicode", "unicode/utf8", "unsafe",
}

// Impurities finds what a pure package must not have: imports beyond those
// that compute from their arguments, goroutines, channels, clocks and the
// shared random source. Packages are those whose rooms say Pure. Permitted
// maps a file to what else it may have, separated by spaces: imports, such as
// sync/atomic, and names that read the clock, such as time.Now. Tests are left
// alone.
func (t *Tree) Impurities(house []Room, permitted map[string]string) []string {
	var faults []string
	for _, room := range house {
		p := t.Package(room.Dir)
		if !room.Pure || p == nil {
			continue
		}
		for _, f := range p.code() {
			may := strings.Fields(permitted[f.Path])
			t.impureImports(f, may, &faults)
			t.impureSyntax(f, may, &faults)
		}
	}
	slices.Sort(faults)
	return faults
}

func (t *Tree) impureImports(f *File, permitted []string, faults *[]string) {
	for _, spec := range f.Syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		_, ours := t.dirOf(spec.Path.Value) // the arrows rule on those
		if err == nil && !ours && !slices.Contains(permitted, p) && !slices.Contains(pureImports, p) {
			*faults = append(*faults, fmt.Sprintf("%s: imports %s: a pure package computes from its arguments; move what needs it into a shell, or, if it does no I/O, takes no lock and reads no clock, add it to pureImports in internal/arch", t.at(spec), p))
		}
	}
}

func (t *Tree) impureSyntax(f *File, permitted []string, faults *[]string) {
	add := func(n ast.Node, what, instead string) {
		*faults = append(*faults, fmt.Sprintf("%s: %s: a pure package %s", t.at(n), what, instead))
	}
	f.uses(f.Syntax, func(pkg, name string, n ast.Node) {
		switch {
		case clock[pkg+"."+name] && !slices.Contains(permitted, pkg+"."+name):
			add(n, pkg+"."+name, "takes now as its first argument; the shell reads the clock")
		case globalRand(pkg, name):
			add(n, "rand."+name, "draws from a generator that it is given, so that a seed repeats a run")
		}
	})
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			add(n, "go statement", "starts no goroutine; return what is due and let the shell run it")
		case *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
			add(n, "channel", "waits for nobody; return a decision and let the shell wake who waits")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add(n, "channel", "waits for nobody; return a decision and let the shell wake who waits")
			}
		}
		return true
	})
}

// Touches says what a file does beside computing: a space-separated, sorted
// list of clock, files, goroutine, lock, random and socket; empty for none.
func (f *File) Touches() string {
	found := map[string]bool{}
	f.uses(f.Syntax, func(pkg, name string, _ ast.Node) {
		if kind := touch(pkg, name); kind != "" {
			found[kind] = true
		}
	})
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found["goroutine"] = true
		case *ast.CompositeLit: // to be asked about one is no socket, to make one is
			f.uses(n, func(pkg, name string, at ast.Node) {
				if at == n.Type && pkg == "net/http" && slices.Contains(endpoints, name) {
					found["socket"] = true
				}
			})
		case *ast.CallExpr: // sync.WaitGroup and errgroup.Group
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" {
				found["goroutine"] = true
			}
		}
		return true
	})
	var kinds []string
	for k := range found {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return strings.Join(kinds, " ")
}

func touch(pkg, name string) string {
	switch {
	case clock[pkg+"."+name]:
		return "clock"
	case pkg == "context" && name == "AfterFunc":
		return "goroutine"
	case pkg == "sync":
		return "lock"
	case globalRand(pkg, name), pkg == "crypto/rand", pkg == "hash/maphash":
		return "random"
	case pkg == "os" && !strings.HasPrefix(name, "Err"):
		return "files"
	case pkg == "net" && (strings.HasPrefix(name, "Dial") || strings.HasPrefix(name, "Listen")):
		return "socket"
	case pkg == "net/http" && slices.Contains(overSockets, name):
		return "socket"
	}
	return ""
}

var (
	overSockets = []string{
		"DefaultClient", "DefaultTransport", "Get", "Head", "ListenAndServe", "ListenAndServeTLS",
		"Post", "PostForm", "Serve", "ServeTLS",
	}
	endpoints = []string{"Client", "Server", "Transport"}
)
