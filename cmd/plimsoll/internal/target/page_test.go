package target

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The page has every word that outcomes are counted by, and the bounds.
func TestPageHasTheWords(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/load.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "words.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			word, _ := strconv.Unquote(lit.Value)
			words = append(words, "`"+word+"`")
		}
		return true
	})
	if len(words) < 10 {
		t.Errorf("found %q only", words)
	}
	words = append(words, strconv.Itoa(maxAnswer>>20)+" MiB", "of gRPC "+strconv.Itoa(maxMessage>>20)+" MiB")
	for _, want := range words {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/load.md does not say %s", want)
		}
	}
}
