package wire

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// page is the documentation of every header.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/headers.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// headerName is a header's name of more than one word, as net/http spells it.
var headerName = regexp.MustCompile(`^[A-Z][a-z0-9]*(-[A-Z0-9][a-z0-9]*)+$`)

// namesIn collects the header names among the string literals of the code in
// a folder.
func namesIn(t *testing.T, folder string, names map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && (headerName.MatchString(s) || s == BaggageHeader || s == grpcCriticalityHeader || s == priorityHeader) {
					names[s] = true
				}
			}
			return true
		})
	}
}

// The page has every header that the code has, and no other.
func TestPageHasTheHeaders(t *testing.T) {
	text := page(t)
	code := map[string]bool{}
	for _, folder := range []string{".", "../../httpgate", "../../cmd/plimsoll/internal/proxy", "../../cmd/plimsoll/internal/egress", "../../cmd/plimsoll/internal/cache"} {
		namesIn(t, folder, code)
	}
	for _, name := range slices.Sorted(maps.Keys(code)) {
		if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`"+name+": ") {
			t.Errorf("docs/headers.md does not say what %s is for", name)
		}
	}
	for _, quoted := range regexp.MustCompile("`[^`\n]+`").FindAllString(text, -1) {
		name, _, _ := strings.Cut(strings.Trim(quoted, "`"), ": ")
		if headerName.MatchString(name) && !code[name] {
			t.Errorf("docs/headers.md has %s, which no code reads or writes", name)
		}
	}
}

// The page has the bounds that the code has, in its words for them.
func TestPageHasTheBounds(t *testing.T) {
	text := strings.Join(strings.Fields(page(t)), " ")
	for _, want := range []string{
		fmt.Sprintf("1 to %d digits and a unit", len(strconv.Itoa(maxGRPCTimeout))),
		fmt.Sprintf("At most `maxTimeout` (%v unless said)", DefaultMaxTimeout),
		fmt.Sprintf("Clamped to %d.", MaxAttempt),
		fmt.Sprintf("do not fit %d bytes and %d members", maxBaggageBytes, maxBaggageMembers),
		fmt.Sprintf("no more than %d bytes are read", maxBaggageBytes),
		fmt.Sprintf("at most %v after signing (%.0fs more", MaxSignatureLife, clockSkew.Seconds()),
		fmt.Sprintf("1 to %d |", class.MaxLevel),
		fmt.Sprintf("without padding: %d characters", codeLength),
		fmt.Sprintf("the whole has %d bytes at most", maxSignature),
		fmt.Sprintf("are %d bytes or more, in a file", MinKeyBytes),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/headers.md does not say %q", want)
		}
	}
	for u, c := range urgencies {
		if !regexp.MustCompile(fmt.Sprintf("`u=%d`", u)).MatchString(text) && u != 3 {
			t.Errorf("docs/headers.md does not say that u=%d is %v", u, c)
		}
	}
	for s := Sources(1); s < NoSources; s <<= 1 {
		if !strings.Contains(text, "| `"+s.String()+"`") {
			t.Errorf("docs/headers.md has no line for the source %v", s)
		}
	}
	for d := Dialects(1); d.valid(); d <<= 1 {
		if !strings.Contains(text, "the dialect `"+d.String()+"`") {
			t.Errorf("docs/headers.md does not say what the dialect %v is", d)
		}
	}
}

// The signature on the page is one: its text is read, and its code is that of
// the key in the example of Keyring.
func TestPageHasASignature(t *testing.T) {
	value := regexp.MustCompile(`Plimsoll-Signature: (v1;\S+)`).FindStringSubmatch(page(t))
	if value == nil {
		t.Fatal("docs/headers.md shows no signature")
	}
	secret, err := DecodeKey([]byte("c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MDA="))
	if err != nil {
		t.Fatal(err)
	}
	k := keyring(t, map[string][]byte{"edge-1": secret})
	c, verdict := k.Verify(value[1], signedAt)
	want := Claims{Criticality: class.CriticalPlus, Level: 42, Timeout: 2 * time.Second, Expires: signedAt.Add(time.Minute)}
	if verdict != Verified || !sameClaims(c, want) {
		t.Errorf("%s is %v: %+v; want %s", value[1], verdict, c, sign(t, k, "edge-1", want, signedAt))
	}
}
