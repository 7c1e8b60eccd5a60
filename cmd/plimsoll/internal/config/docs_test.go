package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every configuration that is shown on a page is one: the reader and the
// schema accept it.
func TestConfigurationsOnPages(t *testing.T) {
	pages, err := filepath.Glob("../../../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	s := compiled(t)
	for _, page := range append(pages, "../../../../README.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range blocks(string(data)) {
			name := fmt.Sprintf("%s, block %d", page, i)
			if _, faults := loadFile(t, block, Flags{}); faults != nil {
				t.Errorf("%s: %s", name, strings.Join(faults, "\n"))
			}
			if err := validate(s, block); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// blocks are the configurations in a page's fenced YAML. What has upstreams is
// one; in parts of one the version is added.
func blocks(page string) (out []string) {
	for i, part := range strings.Split(page, "\n```") {
		text, yaml := strings.CutPrefix(part, "yaml\n")
		if i%2 == 0 || !yaml || !strings.Contains("\n"+text, "\nupstreams:") {
			continue
		}
		if !strings.Contains("\n"+text, "\nversion:") {
			text += "\nversion: 1\n"
		}
		out = append(out, text)
	}
	return out
}

func TestBlocks(t *testing.T) {
	page := "# A\n\n```yaml\nupstreams: {}\n```\n\ntext\n\n```yaml\nname: scenario\n```\n\n```sh\nls\n```\n\n```yaml\nversion: 1\nupstreams: {a: {}}\n```\n"
	have := fmt.Sprintf("%q", blocks(page))
	if want := `["upstreams: {}\nversion: 1\n" "version: 1\nupstreams: {a: {}}"]`; have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}
