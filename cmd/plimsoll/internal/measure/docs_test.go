package measure

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The page of the format lists every key of an expectation and every measure.
func TestDocsHaveEveryMeasure(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## `expect`")
	var want []string
	for _, key := range expectKeys {
		want = append(want, "| `"+key+"` |")
	}
	for _, name := range Names() {
		want = append(want, fmt.Sprintf("| `%s` | %s |\n", name, Describe(name)))
	}
	for _, row := range want {
		if !strings.Contains(section, row) {
			t.Errorf("no %s", strings.TrimSpace(row))
		}
	}
}
