package trace

import (
	"strings"
	"time"
)

// heading is what a header, or a key, says of the values below it.
type heading struct {
	name   string
	column *column // nil: unknown
	unit   time.Duration
}

// heading finds the column of a name, which no other of those before has.
func (p *parser) heading(name string, before []heading) heading {
	h := heading{name: name}
	c, unit, ok := find(name)
	if !ok {
		p.fault("", "want one of the columns %s, have %.40q", names(), name)
		return h
	}
	for i := range before {
		if before[i].column == c {
			p.fault("", "want each column once, have %q and %q", before[i].name, name)
			return h
		}
	}
	h.column, h.unit = c, unit
	return h
}

// head reads the header row.
func (p *parser) head(text string) {
	fields, ok := split(text)
	if !ok {
		p.fault("", "want a header row of %s, its quotes closed", names())
		return
	}
	timed := false
	for _, name := range fields {
		h := p.heading(strings.TrimSpace(name), p.header)
		timed = timed || h.column == &columns[0]
		p.header = append(p.header, h)
	}
	if !timed {
		p.fault("", "want a column time")
	}
}

// row reads a row of CSV.
func (p *parser) row(text string) {
	fields, ok := split(text)
	switch {
	case !ok:
		p.fault("", "want a quoted field to end, with its quotes doubled, before the next comma of this line")
		return
	case p.header == nil:
		return // its quotes are not closed
	case len(fields) != len(p.header):
		p.fault("", "want %d fields, as the header has, have %d", len(p.header), len(fields))
		return
	}
	for i, h := range p.header {
		if h.column == &columns[0] && strings.TrimSpace(fields[i]) == "" {
			p.fault(h.name, "want a time")
		}
		p.set(h, fields[i])
	}
}

// split splits a line at its commas (RFC 4180): a field that begins with a
// quote ends with one, and holds commas, and quotes that are doubled.
func split(line string) (fields []string, ok bool) {
	for {
		field, rest, more := "", "", false
		if strings.HasPrefix(line, `"`) {
			if field, rest, ok = unquote(line[1:]); !ok {
				return nil, false
			}
			if more = rest != ""; more {
				if rest[0] != ',' {
					return nil, false
				}
				rest = rest[1:]
			}
		} else if field, rest, more = strings.Cut(line, ","); strings.Contains(field, `"`) {
			return nil, false
		}
		fields = append(fields, field)
		if !more {
			return fields, true
		}
		line = rest
	}
}

// unquote reads a field up to its closing quote.
func unquote(s string) (field, rest string, ok bool) {
	for {
		before, after, found := strings.Cut(s, `"`)
		if !found {
			return "", "", false
		}
		field += before
		if !strings.HasPrefix(after, `"`) {
			return field, after, true
		}
		field += `"`
		s = after[1:]
	}
}

// appendField writes a field, quoted where it has to be.
func appendField(b, field []byte) []byte {
	plain := len(field) == 0 || field[0] != ' ' && field[len(field)-1] != ' '
	for _, c := range field {
		plain = plain && c != ',' && c != '"'
	}
	if plain {
		return append(b, field...)
	}
	b = append(b, '"')
	for _, c := range field {
		if c == '"' {
			b = append(b, '"')
		}
		b = append(b, c)
	}
	return append(b, '"')
}
