package arch

import (
	"fmt"
	"go/ast"
	"slices"
)

// Sleeps finds tests, of any module, that sleep on the real clock. A sleep is
// allowed inside the function given to synctest.Test, and in a function of
// the package's tests that is called from such places only.
func (t *Tree) Sleeps() []string {
	var faults []string
	for _, p := range t.Packages {
		s := sleepers{bubbled: map[string]bool{}}
		for _, f := range p.Files {
			if f.Test {
				s.scan(f)
			}
		}
		s.settle()
		for _, m := range s.mentions {
			if m.callee == "time.Sleep" && !s.inside(m) {
				faults = append(faults, fmt.Sprintf("%s: time.Sleep on the real clock: run the test in synctest.Test, or wait for the condition itself", t.at(m.node)))
			}
		}
	}
	slices.Sort(faults)
	return faults
}

// mention is one place where a function of the package, or time.Sleep, is
// named.
type mention struct {
	node   ast.Node
	callee string
	caller string // the declared function around it
	direct bool   // inside an argument of synctest.Test
}

// sleepers collects the mentions in one package's tests. Functions go by
// their names, methods included: what is in doubt counts as real time.
type sleepers struct {
	mentions []mention
	bubbled  map[string]bool // functions that run in a bubble only
}

func (s *sleepers) scan(f *File) {
	for _, d := range f.Syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		s.bubbled[fn.Name.Name] = true // until a mention outside says otherwise
		bubbles := f.bubbles(fn)
		add := func(n ast.Node, callee string) {
			direct := slices.ContainsFunc(bubbles, func(b ast.Node) bool { return b.Pos() <= n.Pos() && n.End() <= b.End() })
			s.mentions = append(s.mentions, mention{n, callee, fn.Name.Name, direct})
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				add(id, id.Name)
			}
			return true
		})
		f.uses(fn.Body, func(pkg, name string, n ast.Node) {
			if pkg == "time" && name == "Sleep" {
				add(n, "time.Sleep")
			}
		})
	}
}

// bubbles returns the arguments of synctest.Test in a function.
func (f *File) bubbles(fn *ast.FuncDecl) []ast.Node {
	imports := f.imports()
	var found []ast.Node
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Test" {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && imports[x.Name] == "testing/synctest" {
			for _, a := range call.Args {
				found = append(found, a)
			}
		}
		return true
	})
	return found
}

// settle strikes out every function that is mentioned outside a bubble, or
// nowhere, as the tests that the testing package calls are.
func (s *sleepers) settle() {
	mentioned := map[string]bool{}
	for _, m := range s.mentions {
		mentioned[m.callee] = true
	}
	for name := range s.bubbled {
		if !mentioned[name] {
			delete(s.bubbled, name)
		}
	}
	for struck := true; struck; {
		struck = false
		for _, m := range s.mentions {
			if s.bubbled[m.callee] && !s.inside(m) {
				delete(s.bubbled, m.callee)
				struck = true
			}
		}
	}
}

func (s *sleepers) inside(m mention) bool { return m.direct || s.bubbled[m.caller] }
