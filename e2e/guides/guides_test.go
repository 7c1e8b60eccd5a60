package guides

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
	"github.com/plimsoll-go/plimsoll/e2e/internal/manual"
	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
	"github.com/plimsoll-go/plimsoll/e2e/internal/repository"
)

// root is the repository.
const root = "../testdata/repository"

// program is the binary, which is built.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "plimsoll-guides-")
	if err == nil {
		program, err = process.Build(context.Background(), dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	_ = os.RemoveAll(dir) // nothing of it is ours to report
	os.Exit(status)
}

// guides are the pages that tell how to do something. Everything in them is
// done as they say, in a folder of its own.
var guides = []struct {
	page     string
	given    string   // what the reader has done before, as another page
	services []string // ports at which the reader's service is
	tools    []string // that have to be there
	untested int      // commands in console blocks, which nobody runs here
}{
	{page: "README.md", services: []string{"8081"}, tools: []string{"curl"}},
	{page: "docs/proxy.md", services: []string{"8081"}, tools: []string{"curl"}, untested: 6},
	{page: "docs/release.md", services: []string{"8081"}, untested: 6},
	{page: "docs/traces.md", services: []string{"8081"}, tools: []string{"curl", "openssl", "awk"}},
	{page: "docs/load.md", services: []string{"8081"}, untested: 48},
	{page: "docs/callers.md", services: []string{"8081"}, tools: []string{"curl"}},
	{page: "docs/stale.md", tools: []string{"curl", "python3"}},
	{page: "docs/checkout.md", services: []string{"8081"}, tools: []string{"curl", "openssl"}},
	{page: "docs/deadlines.md", tools: []string{"curl", "node", "python3"}},
	{page: "docs/beside.md", services: []string{"8081"}, tools: []string{"curl", "nginx"}},
	{page: "docs/tiers.md", tools: []string{"curl", "python3"}},
	{page: "docs/watch.md", given: running, services: []string{"8081"}, tools: []string{"curl"}},
	{page: "docs/tune.md", services: []string{"8081"}, tools: []string{"curl"}},
}

// running is a proxy that runs.
const running = "```yaml\n# shop.yaml\nversion: 1\nname: shop\nadmin: 127.0.0.1:9090\nlisteners: [{address: 127.0.0.1:8080}]\n" +
	"upstreams: {shop: {endpoints: [http://127.0.0.1:8081]}}\n```\n```sh\nplimsoll proxy --config shop.yaml &\n```\n"

func TestGuides(t *testing.T) {
	for _, g := range guides {
		t.Run(filepath.Base(g.page), func(t *testing.T) {
			t.Parallel() // most of their time they wait
			blocks := append(parse(t, "given", g.given), blocks(t, filepath.Join(root, g.page))...)
			bin := programs(t, g.tools)
			ports, err := manual.NewPorts(blocks, g.services...)
			if err != nil {
				t.Fatal(err)
			}
			for _, port := range g.services {
				serveGuide(t, ports.Real("127.0.0.1:"+port))
			}
			dir := t.TempDir()
			reader, err := manual.NewReader(dir, t.TempDir(), bin, ports)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(reader.Close)
			untested := 0
			for i, b := range blocks {
				var next *manual.Block
				if i+1 < len(blocks) {
					next = &blocks[i+1]
				}
				if err := reader.Follow(b, next); err != nil {
					t.Fatalf("%s:%d: %v", g.page, b.Line, err)
				}
				if b.File != "" {
					if err := sound(dir, b); err != nil {
						t.Errorf("%s:%d: %s: %v", g.page, b.Line, b.File, err)
					}
				}
				if b.Kind == "console" {
					untested += strings.Count(b.Text, "\n")
				}
			}
			if untested != g.untested {
				t.Errorf("%d lines of it are not run, not %d", untested, g.untested)
			}
		})
	}
}

func blocks(t *testing.T, page string) []manual.Block {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, page, string(text))
}

func parse(t *testing.T, page, text string) []manual.Block {
	t.Helper()
	blocks, err := manual.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	return blocks
}

// sound says what is wrong with a file that a page has, as far as its kind can
// be checked.
func sound(dir string, b manual.Block) error {
	file := filepath.Join(dir, b.File)
	var check *exec.Cmd
	switch {
	case b.Kind == "go":
		check = exec.Command("go", "vet", file)
	case b.Kind == "yaml" && strings.Contains(b.Text, "\nversion: 1\n"):
		check = exec.Command(program, "check", "--offline", "--no-files", file)
	case b.Kind == "yaml":
		return yaml.Unmarshal([]byte(b.Text), new(any))
	default:
		return nil
	}
	if out, err := check.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// programs is a folder with the built program and tools.
func programs(t *testing.T, tools []string) string {
	t.Helper()
	if err := repository.Sources(root); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	at := map[string]string{"plimsoll": program}
	for _, tool := range tools {
		at[tool] = repository.Need(t, root, tool)
	}
	for name, path := range at {
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// serveGuide is the reader's service: it takes as long as ?ms= says.
func serveGuide(t *testing.T, addr string) {
	t.Helper()
	server, _, err := backend.ListenHTTP(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.FormValue("ms")) // without it, 0
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
			fmt.Fprintln(w, "hello")
		case <-r.Context().Done():
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
}

var (
	inline = regexp.MustCompile("`plimsoll (load compare|(?:sim |size )?[a-z]+)( [^`]*)?`")
	option = regexp.MustCompile(`--[a-z][a-z-]*`)
	link   = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
)

// What a page says in passing is there: files that it links to, and the flags
// of commands.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	help := map[string]string{}
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
		for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
			if help[m[1]] == "" {
				out, err := exec.Command(program, append(strings.Fields(m[1]), "--help")...).CombinedOutput()
				if err != nil {
					t.Errorf("%s: %s: %v: %s", page, m[0], err, out)
				}
				help[m[1]] = string(out) + " "
			}
			for _, f := range option.FindAllString(m[2], -1) {
				if !regexp.MustCompile(f + `\W`).MatchString(help[m[1]]) {
					t.Errorf("%s: %s: there is no %s", page, m[0], f)
				}
			}
		}
	}
}
