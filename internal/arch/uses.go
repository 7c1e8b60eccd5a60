package arch

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

// imports maps the names under which a file knows packages to their paths.
func (f *File) imports() map[string]string {
	m := map[string]string{}
	for _, spec := range f.Syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
			name = path.Base(path.Dir(p)) // math/rand/v2 is named rand
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		m[name] = p
	}
	return m
}

// uses calls visit for every mention of a package's name, such as time.Now:
// pkg is the import path. A local variable that shadows a package is none.
func (f *File) uses(root ast.Node, visit func(pkg, name string, n ast.Node)) {
	imports := f.imports()
	ast.Inspect(root, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil && imports[x.Name] != "" {
			visit(imports[x.Name], sel.Sel.Name, n)
		}
		return true
	})
}

// clock names what reads or waits for the wall clock.
var clock = map[string]bool{
	"time.Now": true, "time.Since": true, "time.Until": true, "time.Sleep": true, "time.Tick": true,
	"time.After": true, "time.AfterFunc": true, "time.NewTimer": true, "time.NewTicker": true,
	"context.WithTimeout": true, "context.WithTimeoutCause": true,
	"context.WithDeadline": true, "context.WithDeadlineCause": true,
}

// globalRand reports whether a name of math/rand or math/rand/v2 draws from
// the source that the whole process shares. Types and the constructors of
// seeded generators do not.
func globalRand(pkg, name string) bool {
	if pkg != "math/rand" && pkg != "math/rand/v2" {
		return false
	}
	switch name {
	case "New", "NewPCG", "NewChaCha8", "NewSource", "NewZipf",
		"Rand", "PCG", "ChaCha8", "Source", "Source64", "Zipf":
		return false
	}
	return true
}
