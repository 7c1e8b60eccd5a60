package mix

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/plimsoll-go/plimsoll/class"
)

// schema is a JSON schema.
type schema map[string]any

const (
	tokenPattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
	durationForm = `^([0-9]+(\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h))+$`
	namePattern  = `^[A-Za-z0-9_.-]{1,64}$`
)

var (
	text     = schema{"type": []string{"string", "number", "boolean"}}
	duration = schema{"anyOf": []schema{{"const": 0}, {"type": "string", "pattern": durationForm}}}
)

func criticalities() []string {
	var names []string
	for _, c := range class.All() {
		names = append(names, c.String())
	}
	return names
}

// Schema returns the JSON schema of a file, in the dialect of 2020-12: every
// key, what may stand there and what it means. It knows what one value shows, and
// little of what several must have in common.
func Schema() ([]byte, error) {
	object := func(without string) schema {
		properties := schema{}
		for _, k := range keys {
			if k.name != without {
				s := maps.Clone(k.schema)
				s["description"] = k.doc
				properties[k.name] = s
			}
		}
		var pairs []schema
		for i, one := range bodies {
			for _, other := range bodies[:i] {
				pairs = append(pairs, schema{"not": schema{"required": []string{other, one}}})
			}
		}
		return schema{"type": "object", "additionalProperties": false, "properties": properties, "allOf": pairs}
	}
	defaults := object("weight")
	defaults["description"] = "What classes are that do not say otherwise."
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Mix of plimsoll load",
		"description": "What plimsoll load --mix FILE draws its requests from.",
		"type":        "object", "additionalProperties": false, "required": []string{"classes"},
		"properties": schema{
			"defaults": defaults,
			"classes": schema{
				"description": "The classes, by names that reports and thresholds have.", "type": "object", "minProperties": 1, "maxProperties": maxClasses,
				"propertyNames": schema{"pattern": namePattern}, "additionalProperties": object(""),
			},
		},
	})
	return b.Bytes(), err
}
