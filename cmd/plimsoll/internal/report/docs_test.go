package report

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// The page for users names what there is, and nothing else.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string) string {
		_, rest, begins := strings.Cut(string(data), "<!-- "+name+":begin -->\n")
		text, _, ends := strings.Cut(rest, "<!-- "+name+":end -->")
		if !begins || !ends {
			t.Fatalf("no part %s", name)
		}
		return text
	}

	metrics := "| metric | labels | |\n|---|---|---|\n"
	for _, m := range all {
		labels := ""
		if len(m.labels) > 0 {
			labels = strings.Join(m.labels, ", ") + " "
		}
		metrics += fmt.Sprintf("| `%s` | %s| %s |\n", m.name, labels, m.help)
	}
	if got := part("metrics"); got != metrics {
		t.Errorf("metrics:\n%s\nwant\n%s", got, metrics)
	}

	names := regexp.MustCompile("`([a-z0-9_]+)`")
	var columnsThere []string
	for _, m := range names.FindAllStringSubmatch(part("csv"), -1) {
		columnsThere = append(columnsThere, m[1])
	}
	if got, want := strings.Join(columnsThere, ","), strings.Join(header(), ","); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}

	documented := map[string]bool{}
	for _, m := range names.FindAllStringSubmatch(part("json"), -1) {
		documented[m[1]] = true
	}
	for _, of := range []any{result.Class{}, result.Times{}, result.Second{}} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			if key, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ","); !documented[key] {
				t.Errorf("no word of %s", key)
			}
		}
	}
}
