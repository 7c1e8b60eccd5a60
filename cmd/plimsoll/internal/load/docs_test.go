package load

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
)

const guide = "../../../../docs/load.md"

var inCode = regexp.MustCompile("`([^`\n]+)`")

// The rates that the page has are rates, and it has all forms of one.
func TestPageHasEveryRate(t *testing.T) {
	data, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "| `--rate` | |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	forms := 0
	for line := range strings.Lines(table) {
		m := inCode.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		forms++
		if _, err := schedule.Parse(m[1], "", time.Minute); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
		if !strings.Contains(schedule.Forms, m[1]) {
			t.Errorf("%s is not what a fault shows as an example", m[1])
		}
	}
	if want := strings.Count(schedule.Forms, "'")/2 + 1; forms != want {
		t.Errorf("the page has %d forms of a rate, and there are %d", forms, want)
	}
}

// The exit codes and the flags of a load that are for everybody are on the page.
func TestPageHasCodesAndFlags(t *testing.T) {
	data, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []int{0, 1, 2, exitInvalid, 99, exitInterrupted} {
		if !strings.Contains(string(data), fmt.Sprintf("\n| %d | ", code)) {
			t.Errorf("the page has no exit code %d", code)
		}
	}
	for _, of := range []any{Outputs{}, KneeFlags{}} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			name := kind.Field(i).Tag.Get("name")
			if name == "" {
				name = strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(kind.Field(i).Name, "$1-$2"))
			}
			if !strings.Contains(string(data), "--"+name) {
				t.Errorf("the page has no --%s", name)
			}
		}
	}
}
