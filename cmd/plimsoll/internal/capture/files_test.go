package capture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// The header row is the one that a trace has.
func TestHeaderRow(t *testing.T) {
	var text strings.Builder
	if err := trace.WriteCSV(&text, nil); err != nil || text.String() != headerRow {
		t.Errorf("it is %q, %v", text.String(), err)
	}
}

// A file that is full goes aside, each is a trace of its own that begins at 0,
// all of them together have everything, and the oldest go.
func TestFilesAreBounded(t *testing.T) {
	for _, name := range []string{"trace.csv", "trace.ndjson"} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "trace-old.csv"), []byte("mine"), 0o600))
			must(t, os.WriteFile(filepath.Join(dir, "trace-20261130T101112.000Z.txt"), []byte("mine"), 0o600))
			r := begin(t, func(c *Config) { c.File, c.MaxBytes, c.Keep = filepath.Join(dir, name), 10_000, 3 })
			w := r.Of("all")
			total := 0
			for range 10 {
				for range 200 {
					time.Sleep(time.Millisecond)
					w.Left(w.Arrived(httpgate.Arrived{Criticality: class.CriticalPlus, Tenant: "blue", Asked: time.Second}), time.Millisecond)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				aside, err := goneAside(r.config.File)
				must(t, err)
				if len(aside) > 3 {
					t.Fatalf("%d files went aside and stayed", len(aside))
				}
			}
			n := len(r.over())
			aside, err := goneAside(r.config.File)
			must(t, err)
			for _, one := range append(aside, r.config.File) {
				info, err := os.Stat(one)
				must(t, err)
				if info.Size() > 10_000 || info.Mode() != 0o600 {
					t.Errorf("%s has %d bytes, %s", one, info.Size(), info.Mode())
				}
			}
			for _, one := range aside {
				if m := len(r.read(one)); m > total {
					total = m // of the fullest
				}
			}
			if len(aside) != 3 || !slices.IsSorted(aside) || n == 0 || total < 80 {
				t.Errorf("%d files, %d in the last, %d in the fullest", len(aside), n, total)
			}
			r.counted(2000, 0, 0, 0)
			if _, err := os.Stat(filepath.Join(dir, "trace-old.csv")); err != nil {
				t.Error("a file that is nobody's but its owner's is gone")
			}
			all, err := os.ReadDir(dir)
			if err != nil || len(all) != 3+1+2 {
				t.Errorf("%v, %v", all, err)
			}
		})
	}
}

// All that is written can be read back, over all files, when they stay.
func TestNothingIsLostBetweenFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, func(c *Config) { c.MaxBytes, c.Keep = 700, 1000 })
		w := r.Of("all")
		for i := range 5000 {
			w.Left(w.Arrived(httpgate.Arrived{Cost: i + 1}), 0)
			if i%500 == 0 {
				time.Sleep(time.Second)
			}
		}
		last := r.over()
		aside, err := goneAside(r.config.File)
		must(t, err)
		next := int64(1)
		check := func(name string) {
			for _, rec := range r.read(name) {
				if rec.Cost != next {
					t.Fatalf("%s: %d, want %d", name, rec.Cost, next)
				}
				next++
			}
		}
		for _, one := range aside {
			check(one)
		}
		check(r.config.File)
		if next != 5001 || len(last) == 0 {
			t.Errorf("%d records", next-1)
		}
	})
}

// A file that is there is moved aside, and called by when it was last written; one
// without a record is not kept; a file of another owner, or a link, is.
func TestWhatIsThere(t *testing.T) {
	at := time.Date(2026, 11, 30, 10, 11, 12, 345e6, time.UTC)
	for _, c := range []struct {
		there, aside string
		fault        string
	}{
		{there: ""},
		{there: headerRow},
		{there: headerRow + "0,CRITICAL,,,,,,\n", aside: "trace-20261130T101112.345Z.csv"},
		{there: "a diary", aside: "trace-20261130T101112.345Z.csv"},
		{there: strings.Replace(headerRow, "kind", "KIND", 1), aside: "trace-20261130T101112.345Z.csv"},
	} {
		name := filepath.Join(t.TempDir(), "trace.csv")
		must(t, os.WriteFile(name, []byte(c.there), 0o644))
		must(t, os.Chtimes(name, at, at))
		r := begin(t, func(to *Config) { to.File = name })
		r.pass(1)
		if n := len(r.over()); n != 1 {
			t.Errorf("%q: %d records", c.there, n)
		}
		all, err := goneAside(name)
		must(t, err)
		switch {
		case c.aside == "" && len(all) > 0, c.aside != "" && (len(all) != 1 || filepath.Base(all[0]) != c.aside):
			t.Errorf("%q: %q went aside", c.there, all)
		case c.aside != "":
			text, err := os.ReadFile(all[0])
			if err != nil || string(text) != c.there {
				t.Errorf("%q: it has %q, %v", c.there, text, err)
			}
		}
		if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

// Two that went aside in the same millisecond both stay.
func TestAsideTwice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.csv")
	at := time.Date(2026, 11, 30, 10, 11, 12, 0, time.UTC)
	for range 3 {
		must(t, os.WriteFile(name, []byte("a diary"), 0o600))
		must(t, os.Chtimes(name, at, at))
		must(t, moveAside(name, 5))
	}
	if all, err := goneAside(name); err != nil || len(all) != 3 {
		t.Errorf("%q, %v", all, err)
	}
}

// A link is not followed, wherever it leads.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("mine"), 0o644))
	name := filepath.Join(dir, "trace.csv")
	must(t, os.Symlink(filepath.Join(dir, "secret"), name))
	if _, err := (disk{}).create(name, 1); err == nil {
		t.Error("it writes through a link")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "secret")); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// The file of a capture that goes on is not taken away from it; the second begins
// when the first has ended.
func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := begin(t, nil)
		first.pass(1)
		time.Sleep(2 * time.Second)
		second := begin(t, func(c *Config) { c.File = first.config.File })
		second.pass(1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		first.pass(1)
		if second.Status().Fault != errTaken.Error() {
			t.Errorf("%+v", second.Status())
		}
		if n := len(first.over()); n != 2 {
			t.Errorf("the first has %d records", n)
		}
		time.Sleep(12 * time.Second)
		second.pass(1)
		if n := len(second.over()); n != 1 {
			t.Errorf("the second has %d records", n)
		}
		second.counted(1, 0, 1, 1)
		second.said("another process records into it", 1)
	})
}

// One that follows another begins when that has ended, keeps what comes
// meanwhile, and counts on.
func TestSwap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := begin(t, nil)
		first.pass(3)
		second := prepare(t, disk{}, places, func(c *Config) { c.File, c.Counts = first.config.File, first.config.Counts })
		second.pass(2)
		first.End()
		second.Start(first.Capture)
		second.Start(first.Capture)
		if n := len(second.over()); n != 2 {
			t.Errorf("%d records", n)
		}
		first.counted(5, 0, 0, 0)
		aside, err := goneAside(first.config.File)
		if err != nil || len(aside) != 1 || len(first.read(aside[0])) != 3 {
			t.Errorf("%q, %v", aside, err)
		}
	})
}
