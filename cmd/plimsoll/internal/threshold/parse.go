package threshold

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Threshold is one thing that a run has to hold.
type Threshold struct {
	Text    string // as it was written
	metric  *Metric
	percent float64  // of a percentile
	count   count    // of count and rate
	classes []string // whose requests; nil: all
	bound   measure.Bound
}

// Set is all that a run has to hold.
type Set []Threshold

// Class is a class that a load has, as far as thresholds may name it.
type Class struct {
	Name        string
	Criticality class.Criticality // Unset: none is sent
	Deadline    time.Duration     // of its requests; 0: each has one of its own
	Attempts    int               // most that are made for one of them; 0: any number
}

// Load is what thresholds are held against before it runs.
type Load struct {
	Classes []Class
	Unread  bool // its classes could not be read: any name may be one
	Peaks   bool // its schedule has a peak to recover from
}

// ParseAll reads all thresholds of a command line. The error is [strict.Faults],
// everything that is wrong with any of them.
func ParseAll(texts []string, load Load) (Set, error) {
	var set Set
	var faults strict.Faults
	for _, text := range texts {
		t, err := Parse(text, load)
		if err == nil {
			set = append(set, t)
			continue
		}
		for _, f := range err.(Faults) {
			faults = append(faults, strict.Fault{Key: "--threshold", Want: fmt.Sprintf("%q, %s", text, f)})
		}
	}
	return set, faults.Err()
}

// Parse reads one threshold and holds its names against the load. The error is
// [Faults].
func Parse(text string, load Load) (Threshold, error) {
	p := parser{text: []rune(text)}
	t := Threshold{Text: strings.TrimSpace(text)}
	if p.metric(&t) && p.selector(&t, load) {
		p.compare(&t, load)
	}
	if t.metric != nil && t.metric.Name == "recovery" && !load.Peaks {
		p.want(1, "another metric: the schedule has no peak to recover from")
	}
	if len(p.faults) > 0 {
		return Threshold{}, p.faults
	}
	return t, nil
}

// parser reads a text from its beginning to its end.
type parser struct {
	text   []rune
	at     int
	faults Faults
}

// want notes a fault at a place, counted from 0.
func (p *parser) wantAt(at int, format string, args ...any) {
	p.faults = append(p.faults, Fault{at + 1, fmt.Sprintf(format, args...)})
}

// want notes a fault in a column.
func (p *parser) want(column int, format string, args ...any) { p.wantAt(column-1, format, args...) }

// blanks skips them.
func (p *parser) blanks() {
	for p.at < len(p.text) && unicode.IsSpace(p.text[p.at]) {
		p.at++
	}
}

// take skips a character if it stands there.
func (p *parser) take(c rune) bool {
	p.blanks()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// rest is what stands there, for a fault.
func (p *parser) rest() string {
	if p.at >= len(p.text) {
		return "nothing"
	}
	return fmt.Sprintf("%q", string(p.text[p.at:]))
}

// upTo is the text up to one of some characters, without the blanks round it.
func (p *parser) upTo(ends string) (at int, word string) {
	p.blanks()
	at = p.at
	for p.at < len(p.text) && !strings.ContainsRune(ends, p.text[p.at]) {
		p.at++
	}
	return at, strings.TrimSpace(string(p.text[at:p.at]))
}

// name is a name up to one of some characters, or in double quotes.
func (p *parser) name(ends string) (at int, name string) {
	if !p.take('"') {
		return p.upTo(ends)
	}
	at, name = p.upTo(`"`)
	if !p.take('"') {
		p.wantAt(p.at, `a " that ends the name`)
	}
	return at, name
}

// selector reads for which requests a metric is taken, if the text says it. It
// is false where reading on makes no sense.
func (p *parser) selector(t *Threshold, load Load) bool {
	if !p.take('{') {
		return true
	}
	at, key := p.upTo("=,}")
	if key != "class" && key != "criticality" {
		p.wantAt(at, "%s", nearest("class or criticality", key, []string{"class", "criticality"}))
	}
	if !p.take('=') {
		p.wantAt(p.at, "= and the name of a class, have %s", p.rest())
		return false
	}
	at, name := p.name(",}")
	if !p.take('}') {
		p.wantAt(p.at, "} behind one class, have %s", p.rest())
		return false
	}
	if key == "class" || key == "criticality" {
		p.resolve(t, load, key, name, at)
	}
	return true
}

// resolve finds the classes that a selector means.
func (p *parser) resolve(t *Threshold, load Load, key, name string, at int) {
	if load.Unread {
		return
	}
	var names, criticalities []string
	wanted, ok := class.Parse(name)
	for _, c := range load.Classes {
		names = append(names, c.Name)
		if c.Criticality != class.Unset && !slices.Contains(criticalities, c.Criticality.String()) {
			criticalities = append(criticalities, c.Criticality.String())
		}
		if ok && wanted != class.Unset && c.Criticality == wanted {
			t.classes = append(t.classes, c.Name)
		}
	}
	known := slices.Clone(names)
	for _, c := range criticalities {
		if !slices.Contains(known, c) {
			known = append(known, c)
		}
	}
	switch {
	case key == "class" && slices.Contains(names, name):
		t.classes = []string{name}
	case len(t.classes) > 0:
	case key == "class":
		p.wantAt(at, "%s", nearest("a class of this load, or a criticality", name, known))
	default:
		p.wantAt(at, "%s", nearest("a criticality that a class of this load has", name, criticalities))
	}
}
