package mix

import (
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/retry"
)

func must(t testing.TB, f Flags) *Mix {
	t.Helper()
	m, err := f.Mix(false)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestClassFlags(t *testing.T) {
	body := filepath.Join(t.TempDir(), "cart.json")
	if err := os.WriteFile(body, []byte(`{"a":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	type edit func(c *Class)
	for text, want := range map[string]edit{
		"critical":                      func(c *Class) {},
		"critical:0.7":                  func(c *Class) { c.Weight = 0.7 },
		" Critical : 7e-1":              func(c *Class) { c.Weight = 0.7 },
		"critical,deadline=200ms":       func(c *Class) { c.Deadline = 200 * time.Millisecond },
		"unset":                         func(c *Class) { c.Criticality, c.Name = class.Unset, "default" },
		"sheddable_plus":                func(c *Class) { c.Criticality, c.Name = class.SheddablePlus, "SHEDDABLE_PLUS" },
		"critical,name=checkout":        func(c *Class) { c.Name = "checkout" },
		"critical,level=7":              func(c *Class) { c.Level = 7 },
		"critical,retries=2":            func(c *Class) { c.Retry.Attempts = 3 },
		"critical,retries=none":         func(c *Class) { c.Retry.Attempts = 1 },
		"critical,method=PUT,path=/a?b": func(c *Class) { c.Method, c.Path = "PUT", "/a?b" },
		"critical,protocol=http2":       func(c *Class) { c.Protocol = HTTP2 },
		"critical,protocol=grpc,method=/a.B/C": func(c *Class) {
			c.Protocol, c.Method = GRPC, "a.B/C"
		},
		"critical,retries=2,backoff=50ms,max-backoff=1s,jitter=none,budget=10%,heed=true": func(c *Class) {
			c.Retry = Retry{Attempts: 3, Backoff: retry.Backoff{Base: 50 * time.Millisecond, Max: time.Second, Jitter: retry.NoJitter}, Budget: 0.1, Heed: true}
		},
		"critical,header=a: b,header=A:c,header=X-D:": func(c *Class) {
			c.Header = http.Header{"A": {"b", "c"}, "X-D": {""}}
		},
		"critical,tenants=3,tenant-prefix=u,skew=1.5": func(c *Class) {
			c.Tenants = &Tenants{Names: []string{"u1", "u2", "u3"}, Skew: 1.5}
		},
		"critical,tenants=ann|bob":              func(c *Class) { c.Tenants = &Tenants{Names: []string{"ann", "bob"}} },
		"critical,level=tenant,tenants=ann|bob": func(c *Class) { c.ByTenant, c.Tenants = true, &Tenants{Names: []string{"ann", "bob"}} },
		"critical,body=hello":                   func(c *Class) { c.Method, c.Body = "POST", &Body{Bytes: []byte("hello")} },
		"critical,body=`{\"a\":1,\"b\":2}`":     func(c *Class) { c.Method, c.Body = "POST", &Body{Bytes: []byte(`{"a":1,"b":2}`)} },
		`critical,body="a,\"b",level=1`:         func(c *Class) { c.Method, c.Level, c.Body = "POST", 1, &Body{Bytes: []byte(`a,"b`)} },
		"critical,method=PUT,body-file=" + body: func(c *Class) { c.Method, c.Body = "PUT", &Body{Bytes: []byte(`{"a":1}`)} },
		"critical,header=A:==":                  func(c *Class) { c.Header = http.Header{"A": {"=="}} },
	} {
		have := *must(t, Flags{Class: []string{text}}).Classes[0]
		c := Class{Name: "CRITICAL", Weight: 1, Criticality: class.Critical, Deadline: DefaultDeadline, Method: "GET", Header: http.Header{}}
		want(&c)
		if have.Tenants != nil {
			have.Tenants.upTo = nil
		}
		if !reflect.DeepEqual(have, c) {
			t.Errorf("%s:\n%+v, want\n%+v", text, have, c)
		}
	}
}

// What flags say of all classes holds for those that do not say it.
func TestFlagsOfAllClasses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mix.yaml")
	if err := os.WriteFile(file, []byte("classes: {a: {criticality: CRITICAL}, b: {tenants: [ann]}, c: {skew: 1}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	two := []string{"tenant-1", "tenant-2"}
	for _, tt := range []struct {
		name  string
		flags Flags
		want  [][]string // the tenants of each class
	}{
		{"none", Flags{Tenants: "2"}, [][]string{two}},
		{"--class", Flags{Tenants: "2", Class: []string{"critical", "sheddable"}}, [][]string{two, two}},
		{"--class with its own", Flags{Tenants: "2", Class: []string{"critical,tenants=ann|bob", "sheddable,skew=1", "sheddable_plus,tenant-prefix=u"}},
			[][]string{{"ann", "bob"}, two, {"u1", "u2"}}},
		{"names", Flags{Tenants: "ann|bob", Class: []string{"critical", "sheddable,tenants=2"}}, [][]string{{"ann", "bob"}, two}},
		{"level=tenant", Flags{Tenants: "2", Class: []string{"critical,level=tenant"}}, [][]string{two}},
		{"--mix", Flags{Tenants: "2", File: file}, [][]string{two, {"ann"}, two}},
	} {
		m, err := tt.flags.Mix(false)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		have := make([][]string, len(m.Classes))
		for i, c := range m.Classes {
			if c.Tenants != nil {
				have[i] = c.Tenants.Names
			}
		}
		if !reflect.DeepEqual(have, tt.want) {
			t.Errorf("%s: the tenants are %q, want %q", tt.name, have, tt.want)
		}
	}
	m := must(t, Flags{Tenants: "100000", Class: []string{"critical", "sheddable"}})
	if m.Classes[0].Tenants != m.Classes[1].Tenants {
		t.Error("classes that say none do not share them")
	}
}

// What a command line is at fault with.
func TestFlagFaults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags Flags
		want  string
	}{
		{"an unknown criticality", Flags{Class: []string{"critcal:0.7"}},
			"--class critcal:0.7: want a criticality first, as in critical:0.7,name=checkout: CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS, SHEDDABLE or UNSET (did you mean CRITICAL?), have critcal"},
		{"no number", Flags{Class: []string{"critical:NaN"}}, "--class critical:NaN: want a weight above 0, such as 0.7, have NaN"},
		{"weight 0", Flags{Class: []string{"critical:0"}}, "--class critical:0: want a weight above 0, such as 0.7, have 0"},
		{"a negative weight", Flags{Class: []string{"critical:-1"}}, "--class critical:-1: want a weight above 0, such as 0.7, have -1"},
		{"a weight with a key", Flags{Class: []string{"critical,weight=2"}}, "--class critical, weight: want it first and without a key, as in critical:0.7"},
		{"a quote that does not end", Flags{Class: []string{"critical,body=`a"}}, "--class critical: want a double quote or a backquote that ends what begins at `a"},
		{"a value with a comma", Flags{Class: []string{`critical,body={"a":1,"b":2}`}},
			`--class critical, "b":2}: want KEY=VALUE, a value with commas in double quotes; the keys are ` + strings.Join(flagKeys(), ", ")},
		{"a key twice", Flags{Class: []string{"critical,level=1,level=2"}}, "--class critical, level: want it once"},
		{"one name twice", Flags{Class: []string{"critical", "critical:2"}}, "--class critical:2: want a name of its own, such as name=CRITICAL-2: another class is called CRITICAL"},
		{"every fault", Flags{Class: []string{"critical:x,deadline=200,retires=2", "sheddable,body-file=no-such.json,jitter=some"}, Deadline: "5", Retries: "many"}, `
--deadline: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 5
--retries: want none or a whole number from 0 to 15, have many
--class critical:x: want a weight above 0, such as 0.7, have x
--class critical:x, deadline: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 200
--class critical:x, retires: want a known key; did you mean retries?
--class sheddable, body-file: want a file that can be read (no-such.json: no such file or directory), have no-such.json
--class sheddable, jitter: want full or none, have some
--class sheddable, jitter: want retries beside it, of which 1 or more are made`},
	} {
		_, err := tt.flags.Mix(false)
		if err == nil || err.Error() != strings.TrimPrefix(tt.want, "\n") {
			t.Errorf("%s:\n%v, want\n%s", tt.name, err, tt.want)
		}
	}
}
