package config

import "fmt"

// Places says where the values of a [Config] were given: "gates.shop.limit" is
// in "gate.yaml:12", or by "--limit".
type Places map[string]string

// Of returns where the value of a key comes from; "default" where nobody gave
// it.
func (p Places) Of(key string) string {
	if at, ok := p[key]; ok {
		return at
	}
	return "default"
}

// Given reports whether somebody gave a value for a key.
func (p Places) Given(key string) bool { _, ok := p[key]; return ok }

// Explain is [Load], or [LoadText] where files is false, that also says where
// the values come from.
func Explain(f Flags, files bool) (Config, Places, error) {
	c, r := load(f)
	if files {
		r.files(c)
	}
	places := Places{}
	for key, v := range r.given {
		if v.File == "" {
			places[key] = v.Key
		} else {
			places[key] = fmt.Sprintf("%s:%d", v.File, v.Line)
		}
	}
	return c, places, r.Faults.Err()
}
