package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// TestFilesThatCannotBeWritten: they are faults before the run, which nobody
// would have the result of, or which would cost a file that it reads.
func TestFilesThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	trace, link := at("trace.csv"), at("link.csv")
	if err := os.WriteFile(trace, []byte("time\n0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(trace, link); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		name string
		out  Outputs
		want string
	}{
		{"the trace", Outputs{CSV: trace}, "--csv: want another file than one that is read"},
		{"the trace by another name", Outputs{CSV: link}, "--csv: want another file than one that is read"},
		{"two in one", Outputs{JSON: at("a"), HTML: dir + "/./a"}, "--html: want another file than --json"},
		{"two on standard output", Outputs{JSON: stdout, HTML: stdout}, "--html: want another file than --json"},
		{"a name that is none", Outputs{JSON: at(strings.Repeat("a", 300))}, "--json: want a file that can be written"},
		{"a directory", Outputs{JSON: dir}, "--json: want a file, have the directory"},
		{"no directory", Outputs{JSON: at("none/a")}, "--json: want a file in a directory that exists"},
		{"as it should be", Outputs{JSON: at("a"), CSV: at("b"), HTML: stdout}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := RunCmd{URL: "http://127.0.0.1:1", Replay: trace, MaxInFlight: 1, MaxSlip: ms, Outputs: tt.out}
			faults, _ := strict.FaultsOf(c.Check())
			said := ""
			for _, f := range faults {
				if f.Key != "<url>" { // nobody is there
					said += f.String() + "\n"
				}
			}
			if !strings.HasPrefix(said, tt.want) || strings.Count(said, "\n") > 1 || tt.want == "" && said != "" {
				t.Errorf("%q, want %q", said, tt.want)
			}
		})
	}
	compare := CompareCmd{A: at("a.json"), B: at("b.json"), JSON: dir + "/../" + filepath.Base(dir) + "/a.json"}
	if err := compare.Check(); err == nil || !strings.Contains(err.Error(), "--json: want another file than one that is read") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	if text, err := os.ReadFile(trace); err != nil || string(text) != "time\n0\n" {
		t.Errorf("the trace is %q (%v)", text, err)
	}
}
