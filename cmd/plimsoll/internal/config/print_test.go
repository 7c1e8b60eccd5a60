package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestPrintReadsBack(t *testing.T) {
	for name, text := range map[string]string{
		"every key": full,
		"defaults":  minimal,
		"trusted":   "trust: {everyone: true}" + minimal,
		"fixed":     gateOf("limit: 7") + minimal,
		"odd text": "routes: [{name: '# ~ \"', match: {headers: {X-A: \"a: 'b' # c\\u00e9\\n\", X-B: 'true', X-C: '0', X-D: 0x1B, X-E: '1e5'}}}, {match: {path: '/a b'}}]\n" +
			"exempt: ['/a b', '/:x']" + minimal,
	} {
		before, faults := loadFile(t, text, Flags{})
		if faults != nil {
			t.Fatalf("%s: %q", name, faults)
		}
		var b strings.Builder
		if err := before.Print(&b); err != nil {
			t.Fatal(err)
		}
		after, faults := loadFile(t, b.String(), Flags{})
		if faults != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%s: printed\n%s\nreads back as %+v, %q", name, b.String(), after, faults)
		}
	}
}

func TestB29PrintsDurationsWithUnits(t *testing.T) {
	var b strings.Builder
	if err := good(t, "maxTimeout: 600s\n"+gateOf("maxWait: 0, maxQueueBytes: 2048KiB")).Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"maxTimeout: 10m0s\n", "maxWait: 0s\n", "timeout: 15s\n", "maxQueueBytes: 2MiB\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
