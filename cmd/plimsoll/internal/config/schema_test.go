package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const schemaFile = "../../../../schema/proxy.schema.json"

func TestSchemaIsPublished(t *testing.T) {
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Error("schema/proxy.schema.json is not what the reader knows; write it anew: plimsoll check --schema >schema/proxy.schema.json")
	}
}

func TestReferenceIsWritten(t *testing.T) {
	have, err := os.ReadFile("../../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != Reference() {
		t.Error("docs/configuration.md is not what the reader knows; write it anew: plimsoll check --doc >docs/configuration.md")
	}
}

// compiled is the schema, checked against its own dialect.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("proxy.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("proxy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate asks the schema about a file.
func validate(s *jsonschema.Schema, text string) error {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

// What the reader accepts, the schema does, and so does what it prints.
func TestSchemaAcceptsGoodFiles(t *testing.T) {
	s := compiled(t)
	texts := map[string]string{"every key": full, "minimal": minimal}
	names, err := filepath.Glob("../../../../deploy/examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, example) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(data), "\n")
		path, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
		if where, err := filepath.Abs(filepath.Join(filepath.Dir(name), path)); !ok || err != nil || !strings.HasSuffix(where, "/schema/proxy.schema.json") {
			t.Errorf("%s begins with %q", name, first)
		} else if _, err := os.Stat(where); err != nil {
			t.Error(err)
		}
		texts[name] = string(data)
	}
	for name, text := range texts {
		if err := validate(s, text); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c, faults := loadFile(t, text, Flags{})
		if faults != nil {
			t.Errorf("%s: the reader says %q", name, faults)
			continue
		}
		var b strings.Builder
		if err := c.Print(&b); err != nil {
			t.Fatal(err)
		}
		if err := validate(s, b.String()); err != nil {
			t.Errorf("%s, printed: %v\n%s", name, err, b.String())
		}
	}
}

// What the schema can know to be wrong, both refuse.
func TestSchemaRefusesBadFiles(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{
		"upstreams: {a: {endpoints: [http://a]}}\n",
		"version: 2\nupstreams: {a: {endpoints: [http://a]}}\n",
		"version: '1'\nupstreams: {a: {endpoints: [http://a]}}\n",
		"version: 1\nupstreams: {}\n",
		"version: 1\nupstreams: {a: {}}\n",
		"version: 1\nupstreams: {a: {endpoints: []}}\n",
		"version: 1\nupstreams: {a: {endpoints: [http://a, http://a]}}\n",
		"version: 1\nupstreams: {a: {endpoints: [ftp://a]}}\n",
		"version: 1\nupstreams: {a: {endpoints: [http://a/path]}}\n",
		"version: 1\nupstreams: {'a b': {endpoints: [http://a]}}\n",
		"version: 1\nupstreams: {a: {endpoints: [https://a], tls: {certificate: a.pem}}}\n",
		"version: 1\nupstreams: {a: {endpoints: [http://a], ejection: some}}\n",
		"version: 1\nupstreams: {a: {endpoints: [http://a], ejection: {failures: 0}}}\n",
		"version: 1\nupstreams: {a: {endpoints: [http://a], ejection: {atMost: 50}}}\n",
		"version: 1\nupstreams: {a: {endpoints: [http://a], deadlineHeaders: [istio]}}\n",
		"limt: 5" + minimal,
		"timeout: 5" + minimal,
		"timeout: 5 s" + minimal,
		"timeout: -5s" + minimal,
		"timeout:" + minimal,
		"maxTimeout: 0" + minimal,
		"maxTimeout: 0s" + minimal,
		"maxTimeout: 0h0m0.00s" + minimal,
		"timeoutHeader: 'a b'" + minimal,
		"statusWhenFull: 500" + minimal,
		"readyWhenFull: yes" + minimal,
		"exempt: /healthz" + minimal,
		"exempt: [healthz]" + minimal,
		"listeners: []" + minimal,
		"listeners: [{}]" + minimal,
		"listeners: [{address: 8080}]" + minimal,
		"listeners: [{address: ':80', tls: {certificate: a.pem}}]" + minimal,
		"listeners: [{address: ':80', maxHeaderBytes: 65536}]" + minimal,
		"listeners: [{address: ':80', maxHeaderBytes: 0}]" + minimal,
		"listeners: [{address: ':80', maxStreams: 0}]" + minimal,
		"routes: []" + minimal,
		"routes: [{match: {methods: []}}]" + minimal,
		"routes: [{match: {paths: /a}}]" + minimal,
		"routes: [{criticality: HIGH}]" + minimal,
		"classes: {a: {producer: me}}" + minimal,
		"classes: {a: {claims: {from: [header, header]}}}" + minimal,
		"trust: {everyone: true, networks: [10.0.0.0/8]}" + minimal,
		"trust: {keys: [{id: a}]}" + minimal,
		gateOf("limit: 0") + minimal,
		gateOf("limit: auto, maxLimit: 1.5") + minimal,
		gateOf("limit: 5, maxLimit: 9") + minimal,
		gateOf("limit: .nan") + minimal,
		gateOf("maxQueue: -1") + minimal,
		gateOf("maxQueueBytes: 1024") + minimal,
		gateOf("order: random") + minimal,
		gateOf("shares: {HIGH: 10%}") + minimal,
		gateOf("shares: {CRITICAL: 10}") + minimal,
		gateOf("recover: {below: 20}") + minimal,
		gateOf("recover: {ramp: 5}") + minimal,
		"telemetry: {otlp: {traces: true}}" + minimal,
		"telemetry: {otlp: {endpoint: collector}}" + minimal,
		"- version: 1",
		"hello",
	} {
		if validate(s, text) == nil {
			t.Errorf("the schema accepts\n%s", text)
		}
		if _, faults := loadFile(t, text, Flags{}); faults == nil {
			t.Errorf("the reader accepts\n%s", text)
		}
	}
}

// Every key says what it means.
func TestSchemaDescribesEveryKey(t *testing.T) {
	keys := 0
	var walk func(place string, v any)
	walk = func(place string, v any) {
		s, ok := v.(schema)
		if !ok {
			return
		}
		if properties, ok := s["properties"].(schema); ok && s["type"] != nil {
			for key, below := range properties {
				doc, _ := below.(schema)["description"].(string)
				if keys++; doc == "" || !strings.HasSuffix(doc, ".") {
					t.Errorf("%s.%s: %q", place, key, doc)
				}
				walk(place+"."+key, below)
			}
		}
		for _, key := range []string{"items", "additionalProperties"} {
			walk(place, s[key])
		}
		if any, ok := s["anyOf"].([]schema); ok {
			for _, one := range any {
				walk(place, one)
			}
		}
	}
	walk("", root.schema)
	if keys < 80 {
		t.Errorf("only %d keys were found", keys)
	}
}
