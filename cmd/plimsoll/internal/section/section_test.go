package section

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplaced(t *testing.T) {
	for _, tc := range []struct{ page, want, fault string }{
		{"a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n", "a\n<!-- x:begin -->\nnew\n<!-- x:end -->\nb\n", ""},
		{"<!-- x:begin --><!-- x:end -->", "<!-- x:begin -->\nnew\n<!-- x:end -->", ""},
		{"a\n", "", "want one <!-- x:begin -->"},
		{"<!-- y:begin --><!-- y:end -->", "", "want one <!-- x:begin -->"},
		{"<!-- x:begin --><!-- x:end --><!-- x:begin -->", "", "want one <!-- x:begin -->"},
		{"<!-- x:end --><!-- x:begin -->", "", "comes before"},
	} {
		file := filepath.Join(t.TempDir(), "page")
		if err := os.WriteFile(file, []byte(tc.page), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Replaced(file, "x", "new\n\n")
		if (err == nil) != (tc.fault == "") || err != nil && !strings.Contains(err.Error(), tc.fault) || got != tc.want {
			t.Errorf("%q: %q, %v, want %q, %q", tc.page, got, err, tc.want, tc.fault)
		}
	}
	if _, err := Replaced(filepath.Join(t.TempDir(), "none"), "x", ""); err == nil {
		t.Error("no fault of a file that is not there")
	}
}
