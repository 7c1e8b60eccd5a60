package config

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// The example has every key, at its default but for what has none.
func TestExampleFile(t *testing.T) {
	const name = "../../proxy.example.yaml"
	c, err := Load(Flags{Config: name})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rules) != 3 || len(c.Exempt) != 2 {
		t.Errorf("%d rules, %d exempt paths", len(c.Rules), len(c.Exempt))
	}
	want := Default()
	want.Upstream, want.Rules, want.Exempt = c.Upstream, c.Rules, c.Exempt
	if !reflect.DeepEqual(c, want) {
		t.Errorf("have %+v\nwant %+v", c, want)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys() {
		if !strings.Contains(string(data), "\n"+key+": ") && !strings.Contains(string(data), "\n#   "+key+": ") && !strings.Contains(string(data), "\n"+key+":\n") {
			t.Errorf("it does not show %s", key)
		}
	}
}
