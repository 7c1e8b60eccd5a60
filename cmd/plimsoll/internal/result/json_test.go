package result_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

// some is a small result with something of everything.
func some() *result.Result {
	t := tally.New([]tally.Class{{Name: "checkout", Criticality: "CRITICAL"}, {Name: "batch"}}, 4*time.Second)
	for i := range 400 {
		due := time.Duration(i) * 10 * time.Millisecond
		r := tally.Request{Class: i % 2, Due: due, Sent: due + time.Millisecond, Last: due + 2*time.Millisecond, Done: due + time.Duration(5+i%40)*time.Millisecond, Outcome: openloop.Good}
		t.Offered(r.Class, due)
		switch {
		case i%31 == 0:
			t.Skip(r.Class, due, "in_flight")
			continue
		case i%37 == 0:
			continue
		case i%11 == 0:
			r.Outcome = openloop.Late
		case i%7 == 0:
			r.Outcome, r.Reason = openloop.Refused, "busy"
		case i%13 == 0:
			r.Outcome, r.Reason = openloop.Failed, "reset"
		}
		t.Attempt(r.Class, r.Done, openloop.Refused, "full")
		t.Attempt(r.Class, r.Done, r.Outcome, r.Reason)
		t.End(r)
	}
	peak := 2.0
	r := t.Result(result.Result{
		Target: "http://127.0.0.1:8080/", Schedule: "100/s for 4 s", Seed: 7, Began: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC),
		Length: 4, Ran: 4, PeakEnd: &peak, Invalid: []string{"slip"},
	})
	return &r
}

func written(t testing.TB, r *result.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := result.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadsWhatWasWritten(t *testing.T) {
	r := some()
	name := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(name, written(t, r), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := result.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("got  %+v\nwant %+v", got, r)
	}
	if c := &got.All; c.Share(c.Good) != float64(c.Good)/400 || got.Rate(c.Offered) != 100 || c.Amplification() != 2*float64(c.Sent-c.Open)/float64(c.Sent) {
		t.Errorf("share %g, rate %g, amplification %g", c.Share(c.Good), got.Rate(c.Offered), c.Amplification())
	}
	for _, v := range []struct{ q, want float64 }{{0.5, got.All.Latency.P50}, {0.99, got.All.Latency.P99}, {1, got.All.Latency.Max}} {
		if have := got.All.Latency.Quantile(v.q); have != v.want {
			t.Errorf("quantile %g: %g, want %g", v.q, have, v.want)
		}
	}
}

func TestNothingWasOffered(t *testing.T) {
	r := tally.New([]tally.Class{{Name: "a"}}, time.Second).Result(result.Result{Length: 1})
	got, err := result.Read("a.json", written(t, &r))
	if err != nil {
		t.Fatal(err)
	}
	if c := &got.All; c.Share(1) != 0 || c.Amplification() != 0 || got.Rate(1) != 0 || c.Latency.Quantile(0.5) != 0 {
		t.Errorf("figures of nothing: %+v", c)
	}
}

func TestALaterKeyMeansNothing(t *testing.T) {
	text := strings.Replace(string(written(t, some())), `"target"`, `"weather": {"rain": true}, "target"`, 1)
	if _, err := result.Read("a.json", []byte(text)); err != nil {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	good := string(written(t, some()))
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "a.json:1: want the result of a load, as plimsoll load --json writes it; it is cut off here"},
		{"another kind", "[]", "a.json:1: want another kind of value than a JSON array, at byte 1"},
		{"not JSON", "{\n\"version\": 1,\n}", "a.json:3: want the result of a load, as plimsoll load --json writes it: invalid character '}' looking for beginning of object key string, at byte 17"},
		{"cut off", good[:len(good)/2], fmt.Sprintf("a.json:%d: want the result of a load, as plimsoll load --json writes it; it is cut off here", 1+strings.Count(good[:len(good)/2], "\n"))},
		{"two of them", good + good, "a.json: want the result of a load, as plimsoll load --json writes it: there is something after its end"},
		{"no version", `{"metrics": {}}`, "a.json: version: want the result of a load, as plimsoll load --json writes it, which says its version"},
		{"a later version", swap(`"version": 1`, `"version": 2`), "a.json: version: want 1, have 2: read it with the plimsoll that wrote it, or run the load again with this one"},
		{"a text for a number", swap(`"seed": 7`, `"seed": "7"`), "a.json:5: seed: want another kind of value than a JSON string, at byte 100"},
		{"no length", swap(`"length_s": 4`, `"length_s": 0`), "a.json: length_s: want a time above 0, have 0"},
		{"a sum that is none", swap(`"offered": 400`, `"offered": 401`), "a.json: all.offered: want 400, the sum of skipped, good, late, refused, failed and open, have 401"},
		{"below zero", swap(`"in_flight": 13`, `"in_flight": -13`), "a.json: all.skipped.in_flight: want numbers from 0 to 2^53, have -13"},
		{"a name twice", swap(`"name": "batch"`, `"name": "checkout"`), `a.json: classes[1].name: want a name that no other class has, have "checkout"`},
		{"a class named all", swap(`"name": "batch"`, `"name": "all"`), `a.json: classes[1].name: want a name that no other class has, have "all"`},
		{"a target that clears the screen", swap(`"target": "`, `"target": "\u001b[2J`), `a.json: target: want text without control characters, have "\x1b[2Jhttp://127.0.0.1:8080/"`},
		{"a class that recolours it", swap(`"name": "batch"`, `"name": "\u009b31m"`), `a.json: classes[1].name: want text without control characters, have "\u009b31m"`},
		{"a reason that does", swap(`"in_flight": 13`, `"\u001b[2J": -13`), "a.json: all.skipped: want numbers from 0 to 2^53, have -13"},
		{"why it is invalid, on two lines", swap(`"slip"`, `"a\nb"`), `a.json: invalid[0]: want text without control characters, have "a\nb"`},
		{"no histogram", swap(`"hdr": "HIST`, `"hdr": "!!`), "a.json: all.latency.hdr: want an HdrHistogram, V2, compressed and in base64: illegal base64 data at input byte 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := result.Read("a.json", []byte(tt.text))
			faults, ok := strict.FaultsOf(err)
			if !ok {
				t.Fatalf("%v", err)
			}
			if faults[0].String() != tt.want && !contains(faults, tt.want) {
				t.Errorf("have %s\nwant %s", faults, tt.want)
			}
		})
	}
	if _, err := result.ReadFile(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.HasSuffix(err.Error(), "none.json: want a file that can be read: no such file or directory") {
		t.Errorf("%v", err)
	}
}

func contains(faults strict.Faults, want string) bool {
	for _, f := range faults {
		if f.String() == want {
			return true
		}
	}
	return false
}

// Every fault is named at once.
func TestFaultsAreAllNamed(t *testing.T) {
	r := some()
	r.Length, r.Ran, r.Part = 0, -1, 0
	r.Classes[0].Sent++
	r.Classes[1].Latency.P90 = 1e9
	_, err := result.Read("a.json", written(t, r))
	for _, want := range []string{"length_s", "ran_s", "part_s", "classes[0].sent", "classes[1].latency", "all.sent"} {
		if err == nil || !strings.Contains(err.Error(), "a.json: "+want+": want") {
			t.Errorf("no fault of %s in\n%v", want, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	t := tally.New([]tally.Class{{Name: "a"}}, time.Second)
	t.Offered(0, 0)
	t.Attempt(0, time.Millisecond, openloop.Good, "")
	t.End(tally.Request{Done: time.Millisecond, Outcome: openloop.Good})
	t.Offered(0, 0)
	small := t.Result(result.Result{Length: 1, Ran: 1})
	f.Add(written(f, &small))
	f.Add([]byte(`{"version": 1, "all": {"name": "all", "offered": 9223372036854775807, "good": -1, "series": [{}]}, "classes": [{"latency_parts": ["HIST"]}]}`))
	f.Add([]byte(`{"version": 1e400}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := result.Read("a.json", data)
		if err != nil {
			if faults, ok := strict.FaultsOf(err); !ok || len(faults) == 0 {
				t.Fatalf("%v is no fault", err)
			}
			return
		}
		if sum := result.Sum(r.All.Skipped) + r.All.Sent; sum != r.All.Offered {
			t.Errorf("%d of %d offered", sum, r.All.Offered)
		}
		text := written(t, r)
		again, err := result.Read("b.json", text)
		if err != nil || !bytes.Equal(text, written(t, again)) {
			t.Errorf("%v: it is another when it is written and read again", err)
		}
	})
}
