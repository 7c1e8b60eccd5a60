// Package arch reads a repository's source and finds where it breaks the
// rules of the house: who may import whom, which packages are pure, which
// files may touch a clock or a lock, what must be documented, how long a file
// may get. The rules themselves stand in arch_test.go at the root.
//
// [Load] parses a [Tree]; every check is a method that returns one line per
// fault, "path:line: what is wrong and what to do", sorted, and nothing when
// all is well. Checks work on syntax alone, so they also run on source that
// does not compile yet; a package hidden behind a dot import is not seen.
package arch

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Tree is the source of a repository.
type Tree struct {
	// Module is the import path of the root module.
	Module string
	// Packages are the folders that hold Go files, sorted by Dir, those of
	// nested modules included.
	Packages []*Package
	// Texts are all files that people read, Go files included, by path.
	Texts map[string]string

	fset *token.FileSet
}

// Package is one folder of Go files, its tests included.
type Package struct {
	// Dir is the slash-separated path from the root, which itself is ".".
	Dir string
	// Module is the Dir of the module that the package belongs to.
	Module string
	// Files are sorted by path.
	Files []*File
}

// File is one parsed Go file.
type File struct {
	// Path is the slash-separated path from the root.
	Path string
	// Test says that the file's name ends in _test.go.
	Test bool
	// Lines is the file's length.
	Lines int
	// Syntax is the parsed file, comments included.
	Syntax *ast.File
}

// Load reads and parses everything below the root of fsys. Folders named
// testdata or vendor, and those whose names begin with "." or "_", are left
// out, except .ci. The error names every file that does not parse.
func Load(fsys fs.FS) (*Tree, error) {
	t := &Tree{Texts: map[string]string{}, fset: token.NewFileSet()}
	var faults []error
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(d.Name()):
			return fs.SkipDir
		case d.IsDir() || !d.Type().IsRegular() || !isText(p):
			return nil
		}
		src, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		t.Texts[p] = string(src)
		if path.Ext(p) == ".go" {
			faults = append(faults, t.parse(p, src))
		}
		return nil
	})
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	slices.SortFunc(t.Packages, func(a, b *Package) int { return strings.Compare(a.Dir, b.Dir) })
	t.Module = modulePath(t.Texts["go.mod"])
	for _, p := range t.Packages {
		p.Module = t.moduleOf(p.Dir)
	}
	return t, nil
}

func (t *Tree) parse(p string, src []byte) error {
	syntax, err := parser.ParseFile(t.fset, p, src, parser.ParseComments)
	if err != nil {
		return err
	}
	pkg := t.Package(path.Dir(p))
	if pkg == nil {
		pkg = &Package{Dir: path.Dir(p)}
		t.Packages = append(t.Packages, pkg)
	}
	pkg.Files = append(pkg.Files, &File{
		Path:   p,
		Test:   strings.HasSuffix(p, "_test.go"),
		Lines:  lines(string(src)),
		Syntax: syntax,
	})
	return nil
}

// Package returns the package in the folder, or nil.
func (t *Tree) Package(dir string) *Package {
	for _, p := range t.Packages {
		if p.Dir == dir {
			return p
		}
	}
	return nil
}

// library returns the packages of the root module.
func (t *Tree) library() []*Package {
	return slices.DeleteFunc(slices.Clone(t.Packages), func(p *Package) bool { return p.Module != "." })
}

// code returns the package's files without its tests.
func (p *Package) code() []*File {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f *File) bool { return f.Test })
}

// moduleOf returns the nearest folder at or above dir that has a go.mod.
func (t *Tree) moduleOf(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := t.Texts[dir+"/go.mod"]; ok {
			return dir
		}
	}
	return "."
}

// at renders where a node is.
func (t *Tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

func skipped(name string) bool {
	switch name {
	case ".", ".ci":
		return false
	case "testdata", "vendor", "node_modules", "bin":
		return true
	}
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func isText(p string) bool {
	switch path.Ext(p) {
	case ".go", ".mod", ".work", ".md", ".yaml", ".yml", ".json", ".sh", ".js", ".css", ".html", ".txt":
		return true
	}
	return path.Base(p) == "Makefile" || path.Dir(p) == ".ci"
}

func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
