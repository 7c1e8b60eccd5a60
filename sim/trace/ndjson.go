package trace

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// object reads an object of one line. It goes by tokens, as decoding into a
// value would not tell of a key that stands there twice.
func (p *parser) object(text string) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		p.fault("", "want an object of %s", names())
		return
	}
	var seen []heading
	for d.More() {
		t, err := d.Token()
		if err != nil {
			p.fault("", "want JSON: %v", err)
			return
		}
		h := p.heading(t.(string), seen)
		seen = append(seen, h)
		if !p.value(d, h) {
			return
		}
	}
	if _, err := d.Token(); err != nil {
		p.fault("", "want the object to end on its line")
		return
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		p.fault("", "want one object a line")
	}
	for i := range seen {
		if seen[i].column == &columns[0] {
			return
		}
	}
	p.fault("time", "want a time")
}

// value reads the value of a key. False: the rest of the line cannot be read.
func (p *parser) value(d *json.Decoder, h heading) bool {
	t, err := d.Token()
	if err != nil {
		p.fault(h.name, "want JSON: %v", err)
		return false
	}
	switch v := t.(type) {
	case json.Delim:
		p.fault(h.name, "want a number or a text")
		return false
	case string:
		if h.column == &columns[0] && strings.TrimSpace(v) == "" {
			p.fault(h.name, "want a time")
		}
		p.set(h, v)
	case json.Number:
		if h.column != nil && h.column.plain {
			p.fault(h.name, "want a text in quotes, have %.40s", v.String())
			return true
		}
		p.set(h, v.String())
	case nil:
		if h.column == &columns[0] {
			p.fault(h.name, "want a time")
		}
	default:
		p.fault(h.name, "want a number or a text, have %v", v)
	}
	return true
}

// appendString writes a text without control characters in quotes.
func appendString(b, s []byte) []byte {
	b = append(b, '"')
	for _, c := range s {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}
