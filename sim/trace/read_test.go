package trace

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

const ms = time.Millisecond

// TestRead: what is accepted, in CSV and in NDJSON.
func TestRead(t *testing.T) {
	full := sim.Record{At: 1500 * ms, Criticality: class.SheddablePlus, Level: 9, Tenant: `a "b", c`, Deadline: 250 * ms, Cost: 3, Kind: "read", Service: 7 * ms}
	for name, tc := range map[string]struct {
		text string
		want []sim.Record
	}{
		"times alone":          {"time\n0.5\n1\n", []sim.Record{{At: 500 * ms}, {At: time.Second}}},
		"another name of time": {"arrival_s\n0.0012024255342459101\n", []sim.Record{{At: 1202426}}},
		"units":                {"time,deadline\n1500ms,1m\n2e-3,.5\n", []sim.Record{{At: 2 * ms, Deadline: 500 * ms}, {At: 1500 * ms, Deadline: time.Minute}}},
		"units of columns":     {"time_ms,deadline_us,service_ns\n1500,2.5,7\n1501,2s,\n", []sim.Record{{At: 1500 * ms, Deadline: 2500, Service: 7}, {At: 1501 * ms, Deadline: 2 * time.Second}}},
		"any order, all":       {"tenant,service,time,class,kind,cost,level,deadline\n\"a \"\"b\"\", c\",7ms,1.5,sheddable_plus,read,3,9,.25\n", []sim.Record{full}},
		"empty fields":         {"time,class,tenant,deadline,cost,kind,service\n7,,,,,,\n", []sim.Record{{At: 7 * time.Second}}},
		"blank lines, CRLF":    {"\ufefftime,cost\r\n\r\n1,2\r\n\n", []sim.Record{{At: time.Second, Cost: 2}}},
		"no last line end":     {"time\n1", []sim.Record{{At: time.Second}}},
		"out of order":         {"time,kind\n2,a\n1,b\n2,c\n", []sim.Record{{At: time.Second, Kind: "b"}, {At: 2 * time.Second, Kind: "a"}, {At: 2 * time.Second, Kind: "c"}}},
		"ten years":            {"time\n315360000\n", []sim.Record{{At: longest}}},
		"a header alone":       {"time\n", nil},
		"objects": {`{"time":1.5,"class":"SHEDDABLE_PLUS","level":9,"tenant":"a \"b\", c","deadline":"250ms","cost":3,"kind":"read","service":7e-3}` + "\n" + `{"time_ms":"1600","tenant":null}`,
			[]sim.Record{full, {At: 1600 * ms}}},
	} {
		got, err := Read(strings.NewReader(tc.text))
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tc.want)
		}
	}
}

// TestFaults: every fault is told, with its line and its column.
func TestFaults(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string // the beginnings
	}{
		"empty":         {"", []string{"line 1: want a header row"}},
		"no time":       {"class\nNOTHING\n", []string{"line 1: want a column time", "line 2: class: want CRITICAL_PLUS"}},
		"bad header":    {"time,tme,class_s,time_ms\n1,2,3,-4\n", []string{`line 1: want one of the columns time, class, level, tenant, deadline, cost, kind, service, have "tme"`, `line 1: want one of the columns`, `line 1: want each column once, have "time" and "time_ms"`}},
		"open quotes":   {"time,\"class\n1\n", []string{"line 1: want a header row of time, class"}},
		"values":        {"time,class,level,deadline,cost\n-1,a,128,x,-1\n,,-1,1e99,1.5\nNaN,,,99999999999999999999,\n", []string{"line 2: time: want a time of 0 or more", "line 2: class:", "line 2: level: want a whole number from 0 to 127", "line 2: deadline: want a time", "line 2: cost:", "line 3: time: want a time", "line 3: level:", "line 3: deadline: want at most ten years", "line 3: cost:", "line 4: time:", "line 4: deadline: want at most ten years"}},
		"fields":        {"time,cost\n1\n1,2,3\n1,\"2\n1,a\"b\n", []string{"line 2: want 2 fields, as the header has, have 1", "line 3: want 2 fields", "line 4: want a quoted field to end", "line 5: want a quoted field"}},
		"not UTF-8":     {"time,tenant\n1,\xff\n2,a\x00b\n", []string{"line 2: want UTF-8", "line 3: tenant: want text without control characters"}},
		"too long":      {"time,tenant\n1," + strings.Repeat("a", MaxLine) + "\nx,\n", []string{"line 2: want no more than 65536 bytes", "line 3: time:"}},
		"no object":     {"{\"time\":1}\n7\n[]\n", []string{"line 2: want an object", "line 3: want an object"}},
		"broken object": {"{\"time\":1\n{\"time\":}\n{\"time\":1}x\n{\"time\":1,2:3}\n", []string{"line 1: want the object to end", "line 2: time: want JSON", "line 3: want one object a line", "line 4: want JSON"}},
		"keys":          {"{\"tme\":1}\n{\"time\":1,\"time\":2}\n{\"cost\":1}\n{\"time\":null}\n{\"time\":\"\"}\n", []string{`line 1: want one of the columns`, "line 1: time: want a time", `line 2: want each column once`, "line 3: time: want a time", "line 4: time: want a time", "line 5: time: want a time"}},
		"kinds":         {"{\"time\":true}\n{\"time\":1,\"tenant\":7}\n{\"time\":1,\"cost\":[1]}\n", []string{"line 1: time: want a number or a text, have true", "line 2: tenant: want a text in quotes, have 7", "line 3: cost: want a number or a text"}},
	} {
		records, err := Read(strings.NewReader(tc.text))
		var got Faults
		if !errors.As(err, &got) || records != nil {
			t.Errorf("%s: %v with %d records, want faults", name, err, len(records))
			continue
		}
		for i := range max(len(got), len(tc.want)) {
			if i >= len(got) || i >= len(tc.want) || !strings.HasPrefix(got[i].Error(), tc.want[i]) {
				t.Errorf("%s:\n%v\nwant\n%s", name, err, strings.Join(tc.want, "\n"))
				break
			}
		}
	}
}

// TestManyFaults: a file that is no trace has a bounded error.
func TestManyFaults(t *testing.T) {
	_, err := Read(strings.NewReader("time\n" + strings.Repeat("x\n", 5000)))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != maxFaults || !strings.HasSuffix(lines[maxFaults-1], "; and 4000 faults more") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	var f *Fault
	if !errors.As(err, &f) || f.Line != 2 || f.Key != "time" {
		t.Errorf("the first fault is %+v", f)
	}
}

// TestReader: an error of the reader is told, with where, and ends all.
func TestReader(t *testing.T) {
	broken := errors.New("broken")
	text := strings.NewReader("time\n1\n2\n")
	n := 0
	for _, err := range Each(iotest.DataErrReader(&then{text, broken})) {
		n++
		if last := n == 3; last != errors.Is(err, broken) || last && !strings.Contains(err.Error(), "after line 3") {
			t.Errorf("%d: %v", n, err)
		}
	}
	if n != 3 {
		t.Errorf("%d records and errors, want 3", n)
	}
	if _, err := Read(&then{strings.NewReader("time\nx\n"), broken}); !errors.Is(err, broken) {
		t.Errorf("%v, want the reader's error", err)
	}
}

// then is a reader that ends in an error.
type then struct {
	r   *strings.Reader
	err error
}

func (t *then) Read(b []byte) (int, error) {
	if t.r.Len() == 0 {
		return 0, t.err
	}
	return t.r.Read(b)
}

// endless is lines without an end, one of them very long.
type endless struct{ n int }

func (r *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '1'
		if r.n < 5 {
			b[i] = "time\n"[r.n]
		} else if r.n > 10<<20 && r.n%16 == 0 {
			b[i] = '\n'
		}
		r.n++
	}
	return len(b), nil
}

// TestBoundedMemory: however long a line, no more of it is held than MaxLine;
// and who has seen enough stops.
func TestBoundedMemory(t *testing.T) {
	allocations := testing.AllocsPerRun(1, func() {
		n, r := 0, &endless{}
		for _, err := range Each(r) {
			if n++; n == 1 && (err == nil || !strings.Contains(err.Error(), "no more than")) {
				t.Errorf("the first line: %v", err)
			}
			if n == 100 {
				break
			}
		}
	})
	if allocations > 2000 {
		t.Errorf("%v allocations for 100 lines", allocations)
	}
}

// TestRecorded: the recorded arrivals of the reference cases are a trace.
func TestRecorded(t *testing.T) {
	f, err := os.Open("../testdata/arrivals-002.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(records); n != 7152 || records[0] != (sim.Record{At: 1202426}) || records[n-1].At > time.Minute+ms {
		t.Errorf("%d records, the first %+v, the last %+v", n, records[0], records[n-1])
	}
}
