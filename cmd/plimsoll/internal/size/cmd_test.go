package size

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// size runs a command line, without its first word, and returns what it prints.
func size(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var table struct {
		Size Cmd `cmd:""`
	}
	var out bytes.Buffer
	parser, err := kong.New(&table, kong.Name("plimsoll"), kong.Writers(&out, &out), kong.WithHyphenPrefixedParameters(true))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	err = ctx.Run()
	return out.String(), err
}

// subjects are the commands by name, with their help.
func subjects() map[string]kong.HelpProvider {
	all := map[string]kong.HelpProvider{}
	v := reflect.ValueOf(&Cmd{}).Elem()
	for i := range v.NumField() {
		all[strings.ToLower(v.Type().Field(i).Name)] = v.Field(i).Addr().Interface().(kong.HelpProvider)
	}
	return all
}

var example = regexp.MustCompile(`(?m)^  plimsoll (size [^#\n]*?) *(?:# (.*))?$`)

// Every example runs, and prints the figure beside it.
func TestHelpExamples(t *testing.T) {
	all := subjects()
	all[""] = Cmd{}
	for name, command := range all {
		help := command.Help()
		_, examples, _ := strings.Cut(help, "Example:\n")
		found := example.FindAllStringSubmatch(examples, -1)
		if len(found) < 2 || len(found) != strings.Count(examples, "plimsoll ") || name != "" && (!strings.Contains(help, "Formula") || !strings.Contains(help, "Source")) {
			t.Errorf("%s: %d examples, want two at least, a formula and its source", name, len(found))
		}
		for _, e := range found {
			if out, err := size(t, strings.Fields(e[1])...); err != nil || !strings.Contains(out, e[2]) {
				t.Errorf("%s: %v, want %q in\n%s", e[1], err, e[2], out)
			}
		}
	}
}

// What people and programs read, each subject with all that it can tell.
func TestOutputs(t *testing.T) {
	for name, args := range map[string]string{
		"queue":           "queue --rate 2000 --wait 100ms --variation 1 --percentile 95 --service 20ms --short-service 5ms --pool 64 --burst 300 --offered 500",
		"queue_least":     "queue --rate 10 --wait 50ms",
		"concurrency":     "concurrency --rate 250 --latency 200ms --slots 60 --headroom 2 --clients 400 --think 500ms --wait 100ms",
		"burst":           "burst --workers 8 --service 25ms --deadline 1.5s --burst 2000 --waiting 600",
		"burst_least":     "burst --workers 8 --service 2s --deadline 1.5s",
		"wait":            "wait --rate 720 --service 10ms --workers 8",
		"wait_overload":   "wait --rate 1200 --service 50ms --workers 40",
		"refusal":         "refusal --load 10 --service 1ms --refusal 10us --keep 0.99",
		"refusal_free":    "refusal --load 3 --cost 0",
		"retries":         "retries --attempts 3 --layers 2 --refused 0.5 --budget 0.1 --rate 500 --capacity 460",
		"deadline":        "deadline --budget 300ms --work 50ms,200ms,100ms --margin 10ms",
		"deadline_hops":   "deadline --budget 1s --hops 3",
		"critical":        "critical --capacity 1500 --critical-plus 400 --critical 500 --sheddable-plus 900 --sheddable 2700",
		"critical_beyond": "critical --capacity 800 --critical-plus 400 --critical 500",
	} {
		for ending, flags := range map[string][]string{".txt": nil, ".json": {"--json"}} {
			out, err := size(t, append(append([]string{"size"}, strings.Fields(args)...), flags...)...)
			if err != nil {
				t.Errorf("%s: %v", args, err)
				continue
			}
			if ending == ".json" && !json.Valid([]byte(out)) {
				t.Errorf("%s: not JSON\n%s", args, out)
			}
			golden.File(t, filepath.Join("testdata", name+ending), out)
		}
	}
}

// Every name in JSON is in snake case.
func TestJSONNames(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`"([^"]+)":`).FindAllSubmatch(text, -1) {
			if !snake.Match(name[1]) {
				t.Errorf("%s: %s", file, name[1])
			}
		}
	}
}
