package trace

import (
	"bytes"
	"encoding/csv"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// random is a trace of whatever can be written, in order.
func random(r *rand.Rand, n int) []sim.Record {
	texts := []string{"", "a", `"`, `a,"b"`, ` spaces `, `back\slash`, "日本", "{", "\u2028", `""`, ",", "\ufeff"}
	records, at := make([]sim.Record, n), time.Duration(0)
	for i := range records {
		at += time.Duration(r.Int64N(int64(time.Hour)))
		records[i] = sim.Record{At: at, Tenant: texts[r.IntN(len(texts))], Kind: texts[r.IntN(len(texts))]}
		if r.IntN(2) > 0 {
			records[i].Criticality = class.Criticality(r.IntN(class.Count + 1))
			records[i].Level = class.Level(r.IntN(int(class.MaxLevel) + 1))
			records[i].Deadline = time.Duration(r.Int64N(int64(longest)))
			records[i].Service = time.Duration(r.Int64N(1000))
			records[i].Cost = r.Int64()
		}
	}
	return records
}

// TestRoundTrip: what is written is read back, to the nanosecond.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(50) {
		want := random(rand.New(rand.NewPCG(seed, 0)), 100)
		for name, write := range map[string]func(io.Writer, []sim.Record) error{"CSV": WriteCSV, "NDJSON": WriteNDJSON} {
			var b bytes.Buffer
			if err := write(&b, want); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			got, err := Read(&b)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, text)
			}
		}
	}
}

// TestWritten: how a trace looks.
func TestWritten(t *testing.T) {
	records := []sim.Record{{}, {At: 1500 * ms, Criticality: class.Critical, Level: 3, Tenant: `a,"b"`, Deadline: time.Second, Cost: 2, Kind: "k", Service: 1}}
	var b strings.Builder
	if err := WriteCSV(&b, records); err != nil {
		t.Error(err)
	}
	b.WriteByte('\n')
	if err := WriteNDJSON(&b, records); err != nil {
		t.Error(err)
	}
	const want = `time,class,level,tenant,deadline,cost,kind,service
0,,,,,,,
1.5,CRITICAL,3,"a,""b""",1,2,k,0.000000001

{"time":0}
{"time":1.5,"class":"CRITICAL","level":3,"tenant":"a,\"b\"","deadline":1,"cost":2,"kind":"k","service":0.000000001}
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	if err := WriteCSV(&b, nil); err != nil || !strings.HasPrefix(b.String(), "time,class") {
		t.Errorf("no records: %q, %v", b.String(), err)
	}
}

// TestNotWritten: what could not be read back is refused, and the rest is
// written.
func TestNotWritten(t *testing.T) {
	for name, r := range map[string]sim.Record{
		"before the beginning": {At: -1},
		"too late":             {At: longest + 1},
		"negative deadline":    {Deadline: -1},
		"negative service":     {Service: -1},
		"line break":           {Tenant: "a\nb"},
		"not UTF-8":            {Kind: "\xff"},
		"no criticality":       {Criticality: 9},
		"no level":             {Level: 200},
		"negative cost":        {Cost: -1},
		"too long":             {Tenant: strings.Repeat("a", MaxLine)},
	} {
		for _, make := range []func(io.Writer) *Writer{NewCSV, NewNDJSON} {
			var b bytes.Buffer
			w := make(&b)
			if err := w.Write(r); err == nil || !strings.HasPrefix(err.Error(), "trace: want") {
				t.Errorf("%s: %v", name, err)
			}
			if err := w.Write(sim.Record{At: ms}); err != nil {
				t.Error(err)
			}
			if err := w.Flush(); err != nil {
				t.Error(err)
			}
			if got, err := Read(&b); err != nil || !slices.Equal(got, []sim.Record{{At: ms}}) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
	}
	if err := WriteCSV(io.Discard, []sim.Record{{}, {At: -1}}); err == nil || !strings.HasPrefix(err.Error(), "record 1: ") {
		t.Errorf("%v, want the record named", err)
	}
}

// TestWriteAllocates: a recorder's records cost no memory.
func TestWriteAllocates(t *testing.T) {
	for _, w := range []*Writer{NewCSV(io.Discard), NewNDJSON(io.Discard)} {
		r := sim.Record{At: 12345678901, Criticality: class.Critical, Tenant: "tenant", Deadline: time.Second, Kind: "kind"}
		if n := testing.AllocsPerRun(1000, func() {
			if err := w.Write(r); err != nil {
				t.Error(err)
			}
		}); n > 0 {
			t.Errorf("%v allocations a record", n)
		}
	}
}

// FuzzRead: whatever is read, it is faulty or can be written and read again.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"time,class,level,tenant,deadline,cost,kind,service\n1,CRITICAL,3,\"a,\"\"b\",1s,2,k,7e-3\n",
		"arrival_s\n0.5\n", "time_ms\n\"1\n", `{"time":1,"class":"critical","tenant":"\u2028"}`, "{}", "time\n-1\n1e9999\n",
		"\ufefftime\r\n1\r\n", `{"time":"1h","cost":9223372036854775807}`, "{\"time\":1}\n{{", "time,time\n,\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		records, err := Read(strings.NewReader(text))
		if err != nil || len(records) == 0 {
			return
		}
		for _, write := range []func(io.Writer, []sim.Record) error{WriteCSV, WriteNDJSON} {
			var b bytes.Buffer
			if err := write(&b, records); err != nil {
				if strings.Contains(err.Error(), "bytes, have") {
					continue // quoted, it has become too long
				}
				t.Fatal(err)
			}
			again, err := Read(&b)
			if err != nil || !slices.Equal(again, records) {
				t.Fatalf("%v\n%+v\n%+v", err, again, records)
			}
		}
	})
}

// FuzzSplit: a row that is split here is split in the same way by the standard
// library.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a,b", `"a,""b",c`, `,`, `"a"b`, `a"b`, `"`, `""""`, ` "a"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") || line == "" {
			return
		}
		r := csv.NewReader(strings.NewReader(line))
		r.FieldsPerRecord = -1
		want, err := r.Read()
		got, ok := split(line)
		if ok != (err == nil) || ok && !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q, %v", line, got, ok, want, err)
		}
	})
}
