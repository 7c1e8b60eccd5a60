package config

import (
	"bytes"
	"encoding/json"
)

// Schema returns the JSON schema of a file, in the dialect of 2020-12: every
// key, what may stand there, its default and what it means. It knows what one
// value shows, and little of what several must have in common.
func Schema() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(root.schema.with(schema{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "Configuration of plimsoll proxy",
		"description": "What plimsoll proxy --config FILE runs on. plimsoll check FILE says what a file means, or everything that is wrong with it.",
	}))
	return b.Bytes(), err
}
