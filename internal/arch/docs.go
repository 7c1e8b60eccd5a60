package arch

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// PackageComments finds packages, of any module, that have none or more than
// one package comment, or one that does not begin as godoc expects.
func (t *Tree) PackageComments() []string {
	var faults []string
	for _, p := range t.Packages {
		code := p.code()
		if len(code) == 0 {
			continue
		}
		var having []string
		for _, f := range code {
			if f.Syntax.Doc == nil {
				continue
			}
			having = append(having, f.Path)
			name := f.Syntax.Name.Name
			if name != "main" && !strings.HasPrefix(f.Syntax.Doc.Text(), "Package "+name+" ") {
				faults = append(faults, fmt.Sprintf("%s: the package comment begins %q", t.at(f.Syntax), "Package "+name+" ..."))
			}
		}
		switch len(having) {
		case 0:
			faults = append(faults, fmt.Sprintf("%s: no package comment: say in one sentence what the package is, then name its main types", p.Dir))
		case 1:
		default:
			faults = append(faults, fmt.Sprintf("%s: package comments in %s: one is enough, in the file that a reader opens first", p.Dir, strings.Join(having, " and ")))
		}
	}
	slices.Sort(faults)
	return faults
}

// Undocumented finds exported names of the root module without a comment:
// functions, methods of exported types and of exported interfaces, types,
// constants and variables. A comment on a group counts for all in it.
func (t *Tree) Undocumented() []string {
	var faults []string
	add := func(id *ast.Ident) {
		faults = append(faults, fmt.Sprintf("%s: %s is exported and has no comment: what it is, units, what zero means, errors, concurrency", t.at(id), id.Name))
	}
	for _, p := range t.library() {
		for _, f := range p.code() {
			for _, d := range f.Syntax.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
						add(d.Name)
					}
				case *ast.GenDecl:
					undocumentedSpecs(d, add)
				}
			}
		}
	}
	slices.Sort(faults)
	return faults
}

func undocumentedSpecs(d *ast.GenDecl, add func(*ast.Ident)) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			for _, id := range s.Names {
				if id.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					add(id)
				}
			}
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			if d.Doc == nil && s.Doc == nil && s.Comment == nil {
				add(s.Name)
			}
			if i, ok := s.Type.(*ast.InterfaceType); ok {
				undocumentedMethods(i, add)
			}
		}
	}
}

func undocumentedMethods(i *ast.InterfaceType, add func(*ast.Ident)) {
	for _, m := range i.Methods.List {
		for _, id := range m.Names {
			if id.IsExported() && m.Doc == nil && m.Comment == nil {
				add(id)
			}
		}
	}
}

// exportedReceiver reports whether a function is none's method or that of an
// exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	x := d.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}
