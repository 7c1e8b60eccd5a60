package trace

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll-go/plimsoll/sim"
)

// Read returns all records of a trace in the order of their times: a recorder
// may have written a request when it ended. An error is [Faults], every one with
// its line (the first thousand, and how many more there are), or the reader's.
func Read(r io.Reader) ([]sim.Record, error) {
	var records []sim.Record
	var all Faults
	n := 0
	for rec, err := range Each(r) {
		var faults Faults
		switch {
		case errors.As(err, &faults):
			n += len(faults)
			all = append(all, faults[:min(len(faults), maxFaults-len(all))]...)
		case err != nil:
			return nil, err
		default:
			records = append(records, rec)
		}
	}
	if n > 0 {
		return nil, all.cut(n)
	}
	slices.SortStableFunc(records, func(a, b sim.Record) int { return cmp.Compare(a.At, b.At) })
	return records, nil
}

// Each yields the records of a trace one by one as they stand there, in a
// memory of one line. In the place of a faulty one stands [Faults], and those
// after it are yielded all the same. A reader's error is the last.
func Each(r io.Reader) iter.Seq2[sim.Record, error] {
	return func(yield func(sim.Record, error) bool) {
		l := lines{r: bufio.NewReaderSize(r, MaxLine+2)}
		var p parser
		for {
			line, err := l.next()
			switch {
			case errors.Is(err, io.EOF):
				if p.parse == nil {
					yield(sim.Record{}, Faults{{Line: 1, Want: "want a header row of " + names() + ", or an object"}})
				}
				return
			case errors.Is(err, errLong):
				p.n, p.faults = l.n, nil
				p.fault("", "want no more than %d bytes", MaxLine)
			case err != nil:
				yield(sim.Record{}, fmt.Errorf("trace: after line %d: %w", l.n, err))
				return
			default:
				p.line(l.n, string(line))
			}
			switch {
			case len(p.faults) > 0:
				if !yield(sim.Record{}, p.faults) {
					return
				}
			case p.full:
				if !yield(p.rec, nil) {
					return
				}
			}
		}
	}
}

// parser reads the lines of a trace.
type parser struct {
	parse  func(*parser, string)
	header []heading // of CSV

	headless bool // the header is faulty: what is below it is read for faults only

	n      int // of the line
	rec    sim.Record
	full   bool // the line holds a record
	faults Faults
}

// line reads one line.
func (p *parser) line(n int, text string) {
	p.n, p.rec, p.full, p.faults = n, sim.Record{}, false, nil
	switch begin := strings.TrimSpace(text); {
	case !utf8.ValidString(text):
		p.fault("", "want UTF-8")
	case begin == "":
	case p.parse != nil:
		p.full = !p.headless
		p.parse(p, text)
	case begin[0] == '{':
		p.full, p.parse = true, (*parser).object
		p.object(text)
	default:
		p.parse = (*parser).row
		p.head(text)
		p.headless = len(p.faults) > 0
	}
}

func (p *parser) fault(key, want string, args ...any) {
	p.faults = append(p.faults, &Fault{Line: p.n, Key: key, Want: fmt.Sprintf(want, args...)})
}

// set reads one value.
func (p *parser) set(h heading, text string) {
	if h.column == nil {
		return
	}
	if !h.column.plain {
		text = strings.TrimSpace(text)
	}
	if text == "" {
		return
	}
	if err := h.column.set(&p.rec, text, h.unit); err != nil {
		p.fault(h.name, "%v", err)
	}
}
