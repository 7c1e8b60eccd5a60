package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// column is one thing that a trace says of a request.
type column struct {
	name  string
	plain bool // its values are text: quoted in NDJSON
	timed bool // its values are times
	set   func(r *sim.Record, text string, unit time.Duration) error
	// append writes the value of r, and nothing where it may be left out.
	append func(b []byte, r *sim.Record) []byte
}

// columns are all that there are, in the order in which they are written.
var columns = []column{
	{name: "time", timed: true, set: setAt, append: func(b []byte, r *sim.Record) []byte { return appendSeconds(b, r.At) }},
	{name: "class", plain: true, set: setClass, append: appendClass},
	{name: "level", set: setLevel, append: func(b []byte, r *sim.Record) []byte { return appendInt(b, int64(r.Level)) }},
	text("tenant", func(r *sim.Record) *string { return &r.Tenant }),
	times("deadline", func(r *sim.Record) *time.Duration { return &r.Deadline }),
	{name: "cost", set: setCost, append: func(b []byte, r *sim.Record) []byte { return appendInt(b, r.Cost) }},
	text("kind", func(r *sim.Record) *string { return &r.Kind }),
	times("service", func(r *sim.Record) *time.Duration { return &r.Service }),
}

func times(name string, of func(*sim.Record) *time.Duration) column {
	return column{
		name: name, timed: true,
		set: func(r *sim.Record, text string, unit time.Duration) (err error) {
			*of(r), err = parseTime(text, unit)
			return err
		},
		append: func(b []byte, r *sim.Record) []byte {
			if *of(r) == 0 {
				return b
			}
			return appendSeconds(b, *of(r))
		},
	}
}

func text(name string, of func(*sim.Record) *string) column {
	return column{
		name: name, plain: true,
		set: func(r *sim.Record, text string, _ time.Duration) error {
			*of(r) = text
			return validText(text)
		},
		append: func(b []byte, r *sim.Record) []byte { return append(b, *of(r)...) },
	}
}

func validText(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("want UTF-8")
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return errors.New("want text without control characters")
	}
	return nil
}

func setAt(r *sim.Record, text string, unit time.Duration) (err error) {
	r.At, err = parseTime(text, unit)
	return err
}

func setClass(r *sim.Record, text string, _ time.Duration) error {
	c, ok := class.Parse(text)
	if !ok {
		return fmt.Errorf("want CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE, have %.40q", text)
	}
	r.Criticality = c
	return nil
}

func appendClass(b []byte, r *sim.Record) []byte {
	if r.Criticality == class.Unset {
		return b
	}
	return append(b, r.Criticality.String()...)
}

func setLevel(r *sim.Record, text string, _ time.Duration) error {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || n > uint64(class.MaxLevel) {
		return fmt.Errorf("want a whole number from 0 to %d, have %.40q", class.MaxLevel, text)
	}
	r.Level = class.Level(n)
	return nil
}

func setCost(r *sim.Record, text string, _ time.Duration) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("want a whole number of 0 or more, have %.40q", text)
	}
	r.Cost = n
	return nil
}

func appendInt(b []byte, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(b, n, 10)
}

// find returns the column of a name, and the unit of its plain numbers.
func find(name string) (c *column, unit time.Duration, ok bool) {
	if name == "arrival_s" {
		name = "time"
	}
	base, suffix, named := strings.Cut(name, "_")
	unit = time.Second
	if named {
		if unit, ok = units[suffix]; !ok {
			return nil, 0, false
		}
	}
	for i := range columns {
		if c = &columns[i]; c.name == base && (c.timed || !named) {
			return c, unit, true
		}
	}
	return nil, 0, false
}

// names is what may stand in a header.
func names() string {
	all := make([]string, len(columns))
	for i := range columns {
		all[i] = columns[i].name
	}
	return strings.Join(all, ", ")
}
