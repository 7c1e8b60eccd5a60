package trace

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// Writer writes a trace record by record. It does not allocate for each, and is
// not to be used by several goroutines at once.
type Writer struct {
	w     *bufio.Writer
	csv   bool
	begun bool
	rec   sim.Record // what is written: a place for it that costs nothing
	line  []byte
	field []byte
}

// NewCSV makes a writer of CSV with all columns.
func NewCSV(w io.Writer) *Writer { return &Writer{w: bufio.NewWriter(w), csv: true} }

// NewNDJSON makes a writer of NDJSON, which leaves out what is zero.
func NewNDJSON(w io.Writer) *Writer { return &Writer{w: bufio.NewWriter(w)} }

// Write writes one record. Of a record that could not be read back nothing is
// written and the error says why; those after it are not affected. Other errors
// are those of the underlying writer, which stay.
func (w *Writer) Write(r sim.Record) error {
	w.rec = r
	if err := valid(&w.rec); err != nil {
		return err
	}
	w.begin()
	w.line = w.line[:0]
	if w.csv {
		w.row(&w.rec)
	} else {
		w.object(&w.rec)
	}
	w.line = append(w.line, '\n')
	if len(w.line) > MaxLine {
		return fmt.Errorf("trace: want a line of no more than %d bytes, have %d", MaxLine, len(w.line))
	}
	_, err := w.w.Write(w.line)
	return err
}

// Flush hands on what is buffered, the header row included where there is no
// record yet.
func (w *Writer) Flush() error {
	w.begin()
	return w.w.Flush()
}

func (w *Writer) begin() {
	if w.csv && !w.begun {
		for i := range columns {
			if i > 0 {
				w.w.WriteByte(',') // errors stay until Flush
			}
			w.w.WriteString(columns[i].name)
		}
		w.w.WriteByte('\n')
	}
	w.begun = true
}

func (w *Writer) row(r *sim.Record) {
	for i := range columns {
		if i > 0 {
			w.line = append(w.line, ',')
		}
		w.field = columns[i].append(w.field[:0], r)
		w.line = appendField(w.line, w.field)
	}
}

func (w *Writer) object(r *sim.Record) {
	w.line = append(w.line, '{')
	for i := range columns {
		c := &columns[i]
		w.field = c.append(w.field[:0], r)
		if len(w.field) == 0 {
			continue
		}
		if i > 0 {
			w.line = append(w.line, ',')
		}
		w.line = append(appendString(w.line, []byte(c.name)), ':')
		if c.plain {
			w.line = appendString(w.line, w.field)
		} else {
			w.line = append(w.line, w.field...)
		}
	}
	w.line = append(w.line, '}')
}

// valid reports the first thing of a record that could not be read back.
func valid(r *sim.Record) error {
	for _, d := range []time.Duration{r.At, r.Deadline, r.Service} {
		if d < 0 || d > longest {
			return fmt.Errorf("trace: want times from 0 to ten years, have %v", d)
		}
	}
	for _, s := range []string{r.Tenant, r.Kind} {
		if err := validText(s); err != nil {
			return fmt.Errorf("trace: %w, have %.40q", err, s)
		}
	}
	if !r.Criticality.Valid() || r.Level > class.MaxLevel || r.Cost < 0 {
		return fmt.Errorf("trace: want a criticality, a level up to %d and a cost of 0 or more, have %v, %d and %d", class.MaxLevel, r.Criticality, r.Level, r.Cost)
	}
	return nil
}

// WriteCSV writes a trace as CSV.
func WriteCSV(w io.Writer, records []sim.Record) error { return writeAll(NewCSV(w), records) }

// WriteNDJSON writes a trace as NDJSON.
func WriteNDJSON(w io.Writer, records []sim.Record) error { return writeAll(NewNDJSON(w), records) }

func writeAll(w *Writer, records []sim.Record) error {
	for i := range records {
		if err := w.Write(records[i]); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
	}
	return w.Flush()
}
