package size

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Every fault of a command line at once; nothing is printed. A line names the
// flags that are wrong, in the order of the faults.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ args, flags string }{
		{"queue", "rate wait"},
		{"queue --rate x --wait 100 --percentile 3", "rate wait percentile percentile"},
		{"queue --rate 0 --wait 0 --variation -1 --pool 0 --burst 1.5 --offered NaN", "rate wait variation pool burst offered"},
		{"queue --rate Inf --wait +1s --service 1s", "rate wait service"},
		{"queue --rate 10 --wait 1s --service 1ms --short-service 2ms --burst 5 --offered 10", "short-service offered"},
		{"queue --rate 10 --wait 9999h --short-service 2ms --offered 1", "wait short-service offered"},
		{"concurrency", "latency rate"},
		{"concurrency --latency 5 --headroom 0.5 --clients 2 --think 1s --wait 1s", "latency headroom rate headroom clients wait"},
		{"concurrency --latency 5ms --slots 1 --think 1s", "think"},
		{"burst", "workers service deadline"},
		{"burst --workers 0 --service 1 --deadline -1s --waiting -1", "workers service deadline waiting waiting"},
		{"wait", "service rate"},
		{"wait --service 10 --workers x --rate 1 --utilization 0 --knee 1", "service workers utilization knee utilization"},
		{"refusal", "load cost"},
		{"refusal --load 0 --cost 1 --keep 0 --service 0s --refusal 1ns", "load cost keep service refusal"},
		{"refusal --load 2 --refusal 2s", "refusal"},
		{"refusal --load 1 --service 1s --refusal 2s --keep 0.9", "refusal keep"},
		{"retries", "attempts"},
		{"retries --attempts 0 --layers 21 --refused 1.1 --budget x --capacity 5", "attempts layers budget refused capacity"},
		{"deadline", "budget hops"},
		{"deadline --budget 1 --hops 0 --work 1s,2,,3 --margin x", "budget hops work work work margin work"},
		{"critical", "capacity critical"},
		{"critical --capacity 0 --sheddable -1 --critical x", "capacity critical sheddable"},
	} {
		out, err := size(t, append([]string{"size"}, strings.Fields(c.args)...)...)
		faults, ok := strict.FaultsOf(err)
		var have []string
		for _, f := range faults {
			have = append(have, strings.TrimPrefix(f.Key, "--"))
			if !strings.HasPrefix(f.Key, "--") || !strings.HasPrefix(f.Want, "want ") {
				t.Errorf("%s: %s", c.args, f)
			}
		}
		if !ok || out != "" || !slices.Equal(have, strings.Fields(c.flags)) {
			t.Errorf("%s: have %v, want %s\n%v", c.args, have, c.flags, err)
		}
	}
}

// A command names the faults without running, for those of kong beside them.
func TestEverySubjectChecks(t *testing.T) {
	for name, command := range subjects() {
		checks, ok := command.(interface{ Check() error })
		if !ok {
			t.Errorf("%s has no Check", name)
			continue
		}
		if faults, ok := strict.FaultsOf(checks.Check()); !ok || len(faults) == 0 {
			t.Errorf("%s finds nothing wrong with no flags", name)
		}
	}
}

// The ends of every range are figures, not infinities: JSON has none.
func TestFiguresAreFinite(t *testing.T) {
	for _, args := range []string{
		"queue --rate 1000000000 --wait 8760h --variation 100 --percentile 99.9999 --service 8760h --short-service 1ns --pool 1048576 --burst 1048576 --offered 999999999",
		"queue --rate 0.000001 --wait 1ns --variation 0 --percentile 50 --burst 1",
		"concurrency --rate 1000000000 --latency 8760h --slots 1 --clients 1048576 --think 8760h --wait 8760h",
		"concurrency --rate 0.000001 --latency 1ns --slots 1048576 --headroom 100 --clients 1 --think 1ns --wait 8760h",
		"burst --workers 1048576 --service 1ns --deadline 8760h --burst 1048576 --waiting 1048576",
		"wait --utilization 0.9999999999 --service 8760h --knee 1000000",
		"wait --utilization 0.0001 --service 1ns --workers 1000 --knee 1.000000001",
		"wait --utilization 1000 --service 1ns",
		"wait --rate 1000000000 --service 8760h",
		"refusal --load 1000000 --cost 0.9999999 --keep 1",
		"refusal --load 0.0000001 --service 8760h --refusal 1ns",
		"retries --attempts 100 --layers 20 --refused 1 --budget 1 --rate 1000000000 --capacity 0.000001",
		"retries --attempts 100 --layers 20 --refused 0.9999999999 --budget 0 --rate 500 --capacity 499.999",
		"deadline --budget 8760h --hops 100 --margin 8760h",
		"critical --capacity 0.000001 --critical 1000000000",
	} {
		for _, json := range []string{"", " --json"} {
			out, err := size(t, append([]string{"size"}, strings.Fields(args+json)...)...)
			if err != nil || strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
				t.Errorf("%s: %v\n%s", args+json, err, out)
			}
		}
	}
}
