package config

import "fmt"

// Places says where the values of a [Config] were given: "gates.shop.limit" is
// in "gate.yaml:12", or by "--limit".
type Places map[string]string

// Of returns where the value of a key comes from; "default" where nobody gave
// it, "not known" of the nil Places.
func (p Places) Of(key string) string {
	at, ok := p[key]
	switch {
	case ok:
		return at
	case p == nil:
		return "not known"
	}
	return "default"
}

// Given reports whether somebody gave a value for a key.
func (p Places) Given(key string) bool { _, ok := p[key]; return ok }

// placesOf is where values were given.
func (r *reader) placesOf() Places {
	out := Places{}
	for key, v := range r.given {
		if v.File == "" {
			out[key] = v.Key
		} else {
			out[key] = fmt.Sprintf("%s:%d", v.File, v.Line)
		}
	}
	return out
}
