package arch

import (
	"fmt"
	"go/ast"
	"slices"
)

// Sleeps finds tests, of any module, that sleep on the real clock. A sleep is
// allowed inside the function given to synctest.Test, or to a function of the
// package's tests that hands it on to synctest.Test; in a literal beside it,
// such as a row of the table that it runs; and in a function that is called from
// such places only.
func (t *Tree) Sleeps() []string {
	var faults []string
	for _, p := range t.Packages {
		s := sleepers{makers: map[string]bool{}, bubbled: map[string]bool{}}
		s.findMakers(p)
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
	direct bool   // inside an argument of synctest.Test or of a maker
}

// sleepers collects the mentions in one package's tests. Functions go by
// their names, methods included: what is in doubt counts as real time.
type sleepers struct {
	mentions []mention
	makers   map[string]bool // functions that run their argument in a bubble
	bubbled  map[string]bool // functions that run in a bubble only
}

// findMakers collects the functions that hand a function on to synctest.Test,
// or to another of their kind.
func (s *sleepers) findMakers(p *Package) {
	for found := true; found; {
		found = false
		for _, f := range p.Files {
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && f.Test && fn.Body != nil && !s.makers[fn.Name.Name] && s.handsOn(f, fn) {
					s.makers[fn.Name.Name], found = true, true
				}
			}
		}
	}
}

// handsOn reports whether a function mentions a parameter that is a function
// inside bubbles, and nowhere else.
func (s *sleepers) handsOn(f *File, fn *ast.FuncDecl) bool {
	bubbles := s.bubbles(f, fn)
	inside, outside := false, false
	for _, param := range fn.Type.Params.List {
		if _, ok := param.Type.(*ast.FuncType); !ok {
			continue
		}
		for _, name := range param.Names {
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == name.Name {
					in := within(id, bubbles)
					inside, outside = inside || in, outside || !in
				}
				return true
			})
		}
	}
	return inside && !outside
}

func within(n ast.Node, outer []ast.Node) bool {
	return slices.ContainsFunc(outer, func(o ast.Node) bool { return o.Pos() <= n.Pos() && n.End() <= o.End() })
}

func (s *sleepers) scan(f *File) {
	for _, d := range f.Syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		s.bubbled[fn.Name.Name] = true // until a mention outside says otherwise
		bubbles := s.bubbles(f, fn)
		beside := literalsBeside(fn, bubbles)
		add := func(n ast.Node, callee string) {
			s.mentions = append(s.mentions, mention{n, callee, fn.Name.Name, within(n, bubbles) || within(n, beside)})
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

// bubbles returns what a function gives to synctest.Test and to makers.
func (s *sleepers) bubbles(f *File, fn *ast.FuncDecl) []ast.Node {
	imports := f.imports()
	var found []ast.Node
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		is := false
		switch callee := call.Fun.(type) {
		case *ast.Ident:
			is = s.makers[callee.Name]
		case *ast.SelectorExpr:
			x, ok := callee.X.(*ast.Ident)
			is = ok && callee.Sel.Name == "Test" && imports[x.Name] == "testing/synctest"
		}
		if is {
			for _, a := range call.Args {
				found = append(found, a)
			}
		}
		return true
	})
	return found
}

// literalsBeside returns the function literals of a function that makes
// bubbles, but for those around the making.
func literalsBeside(fn *ast.FuncDecl, bubbles []ast.Node) []ast.Node {
	var found []ast.Node
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok && len(bubbles) > 0 && !slices.ContainsFunc(bubbles, func(b ast.Node) bool { return within(b, []ast.Node{lit}) }) {
			found = append(found, lit)
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
