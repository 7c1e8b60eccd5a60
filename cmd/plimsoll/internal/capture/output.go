package capture

import (
	"bytes"
	"path/filepath"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// again is how long after a failure the file is tried again.
const again = 10 * time.Second

// output is the file that is written, and what becomes of it.
type output struct {
	Config
	storage
	began   time.Time // what the times of entries are since
	tenants texts

	file  file // nil: there is none
	lines *trace.Writer
	text  bytes.Buffer // whole lines that are to be written at once, so that a kill leaves no half one
	count int          // of the requests in it
	size  int64        // of the file, as far as it is well written
	zero  time.Duration
	any   bool // the file, or text, has a record

	fault string    // told, and not over; empty: there is none
	retry time.Time // when to try again
}

// open begins another file. One that is there goes aside.
func (o *output) open() {
	o.close()
	o.text.Reset()
	o.count, o.size, o.any = 0, 0, false
	f, err := o.create(o.File, o.Keep)
	if err != nil {
		o.failed(err)
		return
	}
	o.file = f
	if filepath.Ext(o.File) == ".csv" {
		o.lines = trace.NewCSV(&o.text)
	} else {
		o.lines = trace.NewNDJSON(&o.text)
	}
	_ = o.lines.Flush() // the header row; a bytes.Buffer takes all
	o.flush()
}

// write writes requests, each in a file that has room for it.
func (o *output) write(entries []entry) {
	if len(entries) > 0 && o.file == nil && !o.paused() {
		o.open()
	}
	for i := range entries {
		if !o.ready() {
			o.Counts.Lost.Add(uint64(len(entries) - i))
			return
		}
		o.add(&entries[i])
	}
	o.flush()
}

// paused reports whether nothing is written now, since it has just failed.
func (o *output) paused() bool { return o.fault != "" && time.Now().Before(o.retry) }

// ready reports whether there is a file to write to now. Without one nothing may
// be written even if it is time to try again: that comes up between two looks at
// the clock.
func (o *output) ready() bool { return o.file != nil && !o.paused() }

// add adds a request to the text.
func (o *output) add(e *entry) {
	before, had := o.text.Len(), o.any
	if !o.append(e) || !had || o.size+int64(o.text.Len()) <= o.MaxBytes {
		return
	}
	o.text.Truncate(before)
	o.count--
	if o.flush(); !o.paused() {
		o.open()
	}
	if !o.ready() {
		o.Counts.Lost.Add(1)
		return
	}
	o.append(e)
}

// append appends a request to the text. False: it is no record.
func (o *output) append(e *entry) bool {
	if !o.any {
		o.zero = e.at
	}
	err := o.lines.Write(sim.Record{
		At: e.at - o.zero, Kind: e.kind, Criticality: e.criticality, Level: e.level, Tenant: o.tenants.of(e.tenant),
		Deadline: e.asked, Cost: e.cost, Service: e.served,
	})
	if err != nil {
		o.Counts.Lost.Add(1)
		return false
	}
	_ = o.lines.Flush()
	o.any = true
	o.count++
	return true
}

// flush writes the text.
func (o *output) flush() {
	if o.text.Len() == 0 {
		return
	}
	n := uint64(o.count)
	o.count = 0
	_, err := o.file.Write(o.text.Bytes())
	if err != nil {
		o.Counts.Lost.Add(n)
		o.text.Reset()
		o.undo()
		o.failed(err)
		return
	}
	o.size += int64(o.text.Len())
	o.text.Reset()
	o.Counts.Written.Add(n)
	if o.fault != "" {
		o.fault = ""
		o.Log.Info("recording again", "file", o.File)
	}
}

// undo takes back what was written of a text in part. A file that it cannot be
// taken back from, or of which nothing is left, is no longer written.
func (o *output) undo() {
	if err := o.file.Truncate(o.size); err != nil || o.size == 0 {
		o.close()
	}
}

// look sees to it that the file is still the one of its name, and all of it
// there.
func (o *output) look() {
	switch {
	case o.file == nil:
		if !o.paused() {
			o.open()
		}
	case !o.is(o.File, o.file, o.size):
		o.Counts.Failures.Add(1)
		o.Log.Warn("the file that is recorded into has been taken away; another is begun", "file", o.File)
		o.open()
	}
}

// failed notes that the file cannot be written, and tells it the first time.
func (o *output) failed(err error) {
	o.Counts.Failures.Add(1)
	o.retry = time.Now().Add(again)
	if o.fault == "" {
		o.Log.Error("nothing is recorded, and all is served; it is tried again", "file", o.File, "err", err.Error(), "every", again)
	}
	o.fault = err.Error()
}

func (o *output) close() {
	if o.file != nil {
		_ = o.file.Close() // what was written is written; nothing waits for the disk
		o.file = nil
	}
}

func (o *output) status() Status {
	s := Status{File: o.File, Bytes: o.size, Fault: o.fault}
	if o.any {
		s.Began = o.began.Add(o.zero)
	}
	return s
}
