package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPlaces(t *testing.T) {
	name := filepath.Join(t.TempDir(), "gate.yaml")
	if err := os.WriteFile(name, []byte(gateOf("maxWait: 1s,\n  maxQueue: 7")+"\nroutes:\n- name: a"+minimal), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := LoadText(Flags{Config: name, MaxQueue: given("9")})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"gates.shop.maxWait": name + ":1", "gates.shop.maxQueue": "--max-queue", "gates.shop.limit": "default",
		"routes[0].name": name + ":4", "timeout": "default", "upstreams.shop.endpoints": name + ":6",
	} {
		if got := c.Places.Of(key); got != want || c.Places.Given(key) != (want != "default") {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if got := Default().Places.Of("timeout"); got != "not known" {
		t.Error(got)
	}
}
