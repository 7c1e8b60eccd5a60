package config

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

const example = "../../proxy.example.yaml"

// The example has every key, at its default but for what has none.
func TestExampleFile(t *testing.T) {
	c, err := Load(Flags{Config: example})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Routes) != 5 || len(c.Exempt) != 2 {
		t.Errorf("%d routes, %d exempt paths", len(c.Routes), len(c.Exempt))
	}
	c.Places = nil
	want := For(Endpoint{"http", "127.0.0.1:8081"})
	want.Upstreams[0].Name, want.Gates[0].Name = "shop", "shop"
	want.Routes, want.Exempt = c.Routes, c.Exempt
	if !reflect.DeepEqual(c, want) {
		t.Errorf("have %+v\nwant %+v", c, want)
	}
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	for key := range everyKey(root.schema) {
		if !strings.Contains(string(data), key+":") {
			t.Errorf("it does not show %s", key)
		}
	}
}

// everyKey are the names of the keys in a schema, at any depth.
func everyKey(s schema) map[string]bool {
	out := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []schema:
			for _, one := range v {
				walk(one)
			}
		case schema:
			if properties, ok := v["properties"].(schema); ok {
				for key, below := range properties {
					out[key] = true
					walk(below)
				}
			}
			walk(v["items"])
			walk(v["additionalProperties"])
			walk(v["anyOf"])
		}
	}
	walk(s)
	return out
}
