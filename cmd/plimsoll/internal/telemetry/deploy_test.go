package telemetry

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// deploy is the folder of what is made of the metrics, seen from this one.
const deploy = "../../../../deploy"

// expression is PromQL and where it stands.
type expression struct{ where, text string }

// ruleFile is the part of a Prometheus rule file that names are in.
type ruleFile struct {
	Groups []struct {
		Rules []struct {
			Alert, Record, Expr string
			Labels, Annotations map[string]string
		}
	}
}

func rules(t *testing.T, file string) (out ruleFile) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "alerts", file))
	if err == nil {
		err = yaml.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// dashboard is the part of Grafana's classic model that matters here.
type dashboard struct {
	UID           string
	SchemaVersion int
	Panels        []struct {
		ID      int
		Type    string
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct {
			Expr, LegendFormat string
			Datasource         struct{ UID string }
		}
	}
	Templating struct {
		List []struct{ Name, Type, Definition string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "grafana", "plimsoll.json"))
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// expressions are all of the rules and the dashboard, and the names that the
// rules record.
func expressions(t *testing.T) (all []expression, recorded []string) {
	for _, file := range []string{"recording.yaml", "alerts.yaml"} {
		for _, g := range rules(t, file).Groups {
			for _, r := range g.Rules {
				all = append(all, expression{file + " " + r.Alert + r.Record, r.Expr})
				if r.Record != "" {
					recorded = append(recorded, r.Record)
				}
			}
		}
	}
	d := readDashboard(t)
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			text := strings.ReplaceAll(target.Expr, "$__rate_interval", "1m")
			for _, l := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(target.LegendFormat, -1) {
				if !strings.Contains(target.Expr, "by ("+l[1]) && !regexp.MustCompile(`by \([^)]*\b`+l[1]+`\b`).MatchString(target.Expr) {
					t.Errorf("panel %q: the legend has %s, and the series do not", p.Title, l[1])
				}
			}
			all = append(all, expression{"panel " + p.Title, text})
		}
	}
	for _, v := range d.Templating.List {
		if m := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`).FindStringSubmatch(v.Definition); m != nil {
			all = append(all, expression{"variable " + v.Name, "sum by (" + m[2] + ") (" + m[1] + ")"})
		} else if v.Type != "datasource" {
			t.Errorf("variable %s: %q", v.Name, v.Definition)
		}
	}
	return all, recorded
}

// others are metrics that are not ours, of the Go runtime and the process.
var others = []string{"process_cpu_seconds_total", "process_resident_memory_bytes", "go_goroutines"}

// everyLabel is put on by Prometheus.
var everyLabel = []string{"job", "instance", "alertname", "alertstate"}

var (
	selector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
	grouping = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	window   = regexp.MustCompile(`\[[^\]]*\]`)
)

// metricOf finds a metric by the name of one of its series, and the labels that
// they have.
func metricOf(name string, recorded []string) (labels []string, ok bool) {
	if slices.Contains(others, name) {
		return nil, true
	}
	if slices.Contains(recorded, name) {
		return []string{"gate"}, true
	}
	all := Names()
	if labels, ok = all[name]; ok && !Histogram(name) {
		return labels, true
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if base, found := strings.CutSuffix(name, suffix); found && Histogram(base) {
			if suffix == "_bucket" {
				return append(slices.Clone(all[base]), "le"), true
			}
			return all[base], true
		}
	}
	return nil, false
}

// words of PromQL that look like metrics.
var words = regexp.MustCompile(`^(sum|rate|increase|avg_over_time|max_over_time|histogram_quantile|by|without|on|ignoring|group_left|min|max|count|and|or|unless|vector|scalar|round)$`)

// values are those of labels that have a fixed set.
func values(t *testing.T) map[string][]string {
	out := map[string][]string{}
	for s := range newBench(t).read() {
		_, labels, _ := strings.Cut(strings.TrimSuffix(s, "}"), "{")
		for _, l := range strings.Split(labels, ",") {
			if k, v, ok := strings.Cut(l, "="); ok && !slices.Contains(out[k], v) {
				out[k] = append(out[k], v)
			}
		}
	}
	return out
}

// Every metric, every label and every value that the rules and the dashboard
// name is one that is exported.
func TestExpressionsNameWhatIsExported(t *testing.T) {
	all, recorded := expressions(t)
	if len(all) < 60 {
		t.Fatalf("only %d expressions", len(all))
	}
	known := values(t)
	for _, e := range all {
		text := window.ReplaceAllString(e.text, "")
		labels := slices.Clone(everyLabel)
		bare := grouping.ReplaceAllString(text, "")
		named := 0
		for _, m := range selector.FindAllStringSubmatch(bare, -1) {
			name := m[1]
			if words.MatchString(name) {
				continue
			}
			of, ok := metricOf(name, recorded)
			if !ok {
				t.Errorf("%s: no metric %s", e.where, name)
				continue
			}
			named++
			labels = append(labels, of...)
			for _, l := range matcher.FindAllStringSubmatch(m[3], -1) {
				if !slices.Contains(append(of, everyLabel...), l[1]) {
					t.Errorf("%s: %s has no label %s", e.where, name, l[1])
				}
				for _, v := range strings.Split(l[3], "|") {
					if want, fixed := known[l[1]]; fixed && !slices.Contains(want, v) {
						t.Errorf("%s: %s is never %q", e.where, l[1], v)
					}
				}
			}
		}
		if named == 0 && e.text != "vector(0.001)" {
			t.Errorf("%s: no metric in %q", e.where, e.text)
		}
		for _, m := range grouping.FindAllStringSubmatch(text, -1) {
			for _, l := range strings.Split(m[1], ",") {
				if l = strings.TrimSpace(l); !slices.Contains(labels, l) {
					t.Errorf("%s: nothing in it has the label %s", e.where, l)
				}
			}
		}
	}
}

// The tokenizer notices what it is there for.
func TestMetricOf(t *testing.T) {
	for name, want := range map[string]bool{
		"plimsoll_limit": true, "plimsoll_limits": false, "plimsoll_service_seconds": false, "plimsoll_service_seconds_bucket": true,
		"plimsoll_service_seconds_count": true, "plimsoll_limit_bucket": false, "up": false, "plimsoll:x": false, "plimsoll:y": true,
	} {
		if _, ok := metricOf(name, []string{"plimsoll:y"}); ok != want {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

// The dashboard is one that Grafana 9 to 13 load: the classic model, with an
// identity of its own and a data source that is chosen.
func TestDashboard(t *testing.T) {
	d := readDashboard(t)
	if d.UID != "plimsoll" || d.SchemaVersion > 39 || d.SchemaVersion < 30 {
		t.Errorf("uid %q, schema %d", d.UID, d.SchemaVersion)
	}
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name+" "+v.Type)
	}
	if want := []string{"datasource datasource", "job query", "instance query", "gate query"}; !slices.Equal(variables, want) {
		t.Errorf("variables %q", variables)
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("panel %q: its id is taken", p.Title)
		}
		ids[p.ID] = true
		if p.Type != "row" && len(p.Targets) == 0 || p.Title == "" {
			t.Errorf("panel %q shows nothing", p.Title)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other, ok := taken[at]; ok || at[0] >= 24 {
					t.Fatalf("panel %q lies on %q", p.Title, other)
				}
				taken[at] = p.Title
			}
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != "${datasource}" {
				t.Errorf("panel %q asks %q", p.Title, target.Datasource.UID)
			}
		}
	}
}

// promtool returns Prometheus' own tool, or skips the test.
func promtool(t *testing.T) string {
	if testing.Short() {
		t.Skip("promtool is not run in a short test")
	}
	need := exec.CommandContext(t.Context(), "../../../../tools/need.sh", "promtool")
	var why strings.Builder
	need.Stderr = &why
	path, err := need.Output()
	if err != nil {
		t.Skipf("no promtool: %s", strings.TrimSpace(why.String()))
	}
	return strings.TrimSpace(string(path))
}

func run(t *testing.T, tool string, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput()
	if err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args[:2], " "), err, out)
	}
}

// Prometheus reads the rules, and the dashboard's expressions as if they were
// rules.
func TestPrometheusReadsTheExpressions(t *testing.T) {
	tool := promtool(t)
	all, _ := expressions(t)
	var text strings.Builder
	text.WriteString("groups:\n- name: all\n  rules:\n")
	for i, e := range all {
		fmt.Fprintf(&text, "  - record: expression:%d\n    expr: %q\n", i, e.text)
	}
	file := filepath.Join(t.TempDir(), "all.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, tool, "check", "rules", deploy+"/alerts/recording.yaml", deploy+"/alerts/alerts.yaml", file)
}

// The alerts fire when they should, the collapse within 90 seconds, and do not
// when they should not.
func TestAlerts(t *testing.T) {
	files, err := filepath.Glob(deploy + "/alerts/tests/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no tests of the alerts", err)
	}
	tested := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tested += string(text)
	}
	for _, name := range alertNames(t) {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(tested) {
			t.Errorf("no test of the alert %s", name)
		}
	}
	tool := promtool(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			run(t, tool, "test", "rules", file)
		})
	}
}

func alertNames(t *testing.T) []string {
	names := map[string]bool{}
	for _, g := range rules(t, "alerts.yaml").Groups {
		for _, r := range g.Rules {
			names[r.Alert] = true
			if want := "docs/watch.md#" + strings.ToLower(r.Alert); r.Annotations["runbook"] != want {
				t.Errorf("%s: its runbook is %q, not %q", r.Alert, r.Annotations["runbook"], want)
			}
			if r.Labels["severity"] != "page" && r.Labels["severity"] != "ticket" {
				t.Errorf("%s: its severity is %q", r.Alert, r.Labels["severity"])
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
