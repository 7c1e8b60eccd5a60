package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// rig is a capture in a folder of its own.
type rig struct {
	testing.TB
	*Capture
	counts Counts
	log    bytes.Buffer // written by the capture's goroutine only: read when it has ended, or all is quiet
}

// begin starts a capture whose configuration is a usual one after edit.
func begin(t testing.TB, edit func(*Config)) *rig {
	t.Helper()
	r := prepare(t, disk{}, places, edit)
	r.Start(nil)
	return r
}

func prepare(t testing.TB, s storage, places int, edit func(*Config)) *rig {
	t.Helper()
	r := &rig{TB: t}
	c := Config{MaxBytes: 1 << 20, Keep: 3, Key: []byte("key"), Counts: &r.counts, Log: slog.New(slog.NewTextHandler(&r.log, nil))}
	if edit != nil {
		edit(&c)
	}
	if c.File == "" {
		c.File = filepath.Join(t.TempDir(), "trace.csv")
	}
	r.Capture = on(s, c, places)
	return r
}

// over ends it and returns what it has written.
func (r *rig) over() []sim.Record {
	r.Helper()
	r.End()
	if err := r.Ended(r.Context()); err != nil {
		r.Fatal(err)
	}
	return r.read(r.config.File)
}

// read reads a file of it. Its times have to be in order.
func (r *rig) read(name string) []sim.Record {
	r.Helper()
	f, err := os.Open(name)
	if err != nil {
		r.Fatal(err)
	}
	defer f.Close()
	var all []sim.Record
	for rec, err := range trace.Each(f) {
		if err != nil {
			r.Fatalf("%s: %v", name, err)
		}
		if n := len(all); n > 0 && rec.At < all[n-1].At || n == 0 && rec.At != 0 {
			r.Errorf("%s: record %d is at %s", name, n, rec.At)
		}
		all = append(all, rec)
	}
	return all
}

func (r *rig) counted(written, dropped, lost, failures uint64) {
	r.Helper()
	have := [...]uint64{r.counts.Written.Load(), r.counts.Dropped.Load(), r.counts.Lost.Load(), r.counts.Failures.Load()}
	if want := [...]uint64{written, dropped, lost, failures}; have != want {
		r.Errorf("written, dropped, lost and failures are %v, want %v", have, want)
	}
}

// said is how often the log has a text.
func (r *rig) said(text string, times int) {
	r.Helper()
	if n := strings.Count(r.log.String(), text); n != times {
		r.Errorf("%q was said %d times, want %d, in\n%s", text, n, times, r.log.String())
	}
}

// pass has requests come, and be served at once.
func (r *rig) pass(n int) {
	w := r.Of("all")
	for range n {
		w.Left(w.Arrived(httpgate.Arrived{}), 0)
	}
}

func TestRecords(t *testing.T) {
	for _, name := range []string{"trace.csv", "trace.ndjson"} {
		synctest.Test(t, func(t *testing.T) {
			r := begin(t, func(c *Config) { c.File = filepath.Join(t.TempDir(), name) })
			shop, search := r.Of("shop"), r.Of("/search, \"all\"")
			time.Sleep(time.Hour) // nothing comes
			first := shop.Arrived(httpgate.Arrived{Criticality: class.CriticalPlus, Level: 7, Tenant: "blue", Cost: 3, Asked: 1500 * time.Millisecond})
			time.Sleep(time.Millisecond)
			second := search.Arrived(httpgate.Arrived{Criticality: class.Sheddable, Tenant: "blue"})
			search.Left(second, 0)
			time.Sleep(100 * time.Millisecond)
			shop.Left(first, 100*time.Millisecond)
			shop.Left(shop.Arrived(httpgate.Arrived{Criticality: class.Critical, Tenant: "green"}), time.Second)
			shop.Arrived(httpgate.Arrived{Criticality: class.Critical}) // has not ended
			all := r.over()
			blue, green := all[0].Tenant, all[2].Tenant
			want := []sim.Record{
				{Kind: "shop", Criticality: class.CriticalPlus, Level: 7, Tenant: blue, Deadline: 1500 * time.Millisecond, Cost: 3, Service: 100 * time.Millisecond},
				{At: time.Millisecond, Kind: "/search, \"all\"", Criticality: class.Sheddable, Tenant: blue},
				{At: 101 * time.Millisecond, Kind: "shop", Criticality: class.Critical, Tenant: green, Service: time.Second},
				{At: 101 * time.Millisecond, Kind: "shop", Criticality: class.Critical},
			}
			if len(all) != len(want) || blue == green || len(blue) != 16 || len(green) != 16 {
				t.Fatalf("have %+v", all)
			}
			for i := range want {
				if all[i] != want[i] {
					t.Errorf("%d: have %+v\nwant %+v", i, all[i], want[i])
				}
			}
			r.counted(4, 0, 0, 0)
			r.said("msg=recorded file="+r.config.File+" written=4 dropped=0 lost=0", 1)
			if info, err := os.Stat(r.config.File); err != nil || info.Mode() != 0o600 || info.Size() != r.Status().Bytes {
				t.Errorf("%v, %v, %+v", info, err, r.Status())
			}
			if began := time.Now().Add(-101 * time.Millisecond); !r.Status().Began.Equal(began) || r.Status().Fault != "" {
				t.Errorf("it began at %s, want %s", r.Status().Began, began)
			}
		})
	}
}

// What is complete is in the file a second later. A request that has not ended
// keeps those behind it back for ten seconds, and no longer.
func TestFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, nil)
		w := r.Of("all")
		w.Left(w.Arrived(httpgate.Arrived{}), 0)
		slow := w.Arrived(httpgate.Arrived{})
		w.Arrived(httpgate.Arrived{Stream: true})
		for _, c := range []struct {
			after   time.Duration
			records int
		}{{1001 * time.Millisecond, 1}, {8 * time.Second, 1}, {2 * time.Second, 3}} {
			time.Sleep(c.after)
			synctest.Wait()
			if n := len(r.read(r.config.File)); n != c.records {
				t.Errorf("%s later it has %d records, want %d", c.after, n, c.records)
			}
		}
		w.Left(slow, time.Minute) // too late, and of no harm
		if n := len(r.over()); n != 3 {
			t.Errorf("it has %d records", n)
		}
		if w.Arrived(httpgate.Arrived{}) != 0 {
			t.Error("a request is taken after the end")
		}
		w.Left(slow, time.Minute) // nor does it still know one
		if r.buffer.entries != nil {
			t.Error("its buffer stays as long as whoever is served")
		}
		r.counted(3, 1, 0, 0)
	})
}

// Nobody waits for a disk that is slow: what has no place is dropped and counted,
// and what has ended is not held back by what has not, once places are rare.
func TestNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowDisk{release: make(chan struct{})}
		r := prepare(t, slow, 64, nil)
		r.Start(nil)
		w := r.Of("all")
		for range 32 { // which wakes the writer, and it hangs with all of them
			w.Arrived(httpgate.Arrived{Stream: true})
		}
		synctest.Wait()
		r.pass(100)
		if n := r.counts.Dropped.Load(); n != 100-64 {
			t.Errorf("%d were dropped", n)
		}
		close(slow.release)
		synctest.Wait()
		w.Arrived(httpgate.Arrived{}) // stays
		for range 12 {                // each of them less than the quarter that is left free
			r.pass(10)
			synctest.Wait()
		}
		r.over()
		r.counted(32+64+121, 36, 0, 0)
	})
}

// slowDisk hangs in the first write after the header until it is released.
type slowDisk struct {
	disk
	release chan struct{}
}

func (d *slowDisk) create(name string, keep int) (file, error) {
	f, err := d.disk.create(name, keep)
	return &slowFile{f, d.release}, err
}

type slowFile struct {
	file
	release chan struct{}
}

func (f *slowFile) Write(b []byte) (int, error) {
	if string(b) != headerRow {
		<-f.release
	}
	return f.file.Write(b)
}

// The end of a proxy does not wait for a disk that hangs either.
func TestEndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowDisk{release: make(chan struct{})}
		r := prepare(t, slow, 64, nil)
		r.Start(nil)
		r.pass(1)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		r.End()
		if err := r.Ended(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
		close(slow.release)
		<-r.done
	})
}

// A full disk is told once, counted, and tried again; nothing is left of a write
// that was cut off, and the file goes on where it was.
func TestFullDisk(t *testing.T) {
	for i, left := range []int{-1, 0, 1, 200, 1000, -1, 0, 1, 200, 1000} {
		name := []string{"trace.csv", "trace.ndjson"}[i/5]
		t.Run(fmt.Sprint(name, left), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				full := &fullDisk{room: left}
				if left < 0 {
					full.room = 1 << 20
				}
				r := prepare(t, full, places, func(c *Config) { c.File = filepath.Join(t.TempDir(), name) })
				r.Start(nil)
				second := func(n int) {
					r.pass(n)
					time.Sleep(time.Second)
					synctest.Wait()
				}
				second(10)
				if left < 0 {
					full.set(0)
				}
				for range 30 {
					second(100)
				}
				failed := r.counts.Failures.Load()
				if failed < 3 || failed > 4 || r.counts.Lost.Load() < 2900 || r.Status().Fault == "" {
					t.Errorf("%d failures, %d lost, %+v", failed, r.counts.Lost.Load(), r.Status())
				}
				if text, err := os.ReadFile(r.config.File); err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
					t.Errorf("half a line is left: %q", text)
				}
				full.set(1 << 20)
				for range 12 {
					second(10)
				}
				if r.Status().Fault != "" {
					t.Errorf("it is still at fault: %+v", r.Status())
				}
				all := r.over()
				if w := r.counts.Written.Load(); w != uint64(len(all)) || w+r.counts.Lost.Load() != 10+3000+120 || len(all) < 20 {
					t.Errorf("%d records, %d written, %d lost", len(all), w, r.counts.Lost.Load())
				}
				r.said("nothing is recorded", 1)
				r.said("recording again", 1)
			})
		})
	}
}

// fullDisk has room for so many bytes.
type fullDisk struct {
	disk
	mu   sync.Mutex
	room int
}

func (d *fullDisk) set(room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = room
}

func (d *fullDisk) create(name string, keep int) (file, error) {
	f, err := d.disk.create(name, keep)
	if err != nil {
		return nil, err
	}
	return &fullFile{f, d}, nil
}

type fullFile struct {
	file
	disk *fullDisk
}

func (f *fullFile) Write(b []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := min(len(b), f.disk.room)
	f.disk.room -= n
	if _, err := f.file.Write(b[:n]); err != nil || n == len(b) {
		return n, err
	}
	return n, &fs.PathError{Op: "write", Path: "trace", Err: errors.New("no space left on device")}
}

// A log that takes longer to tell of a failure than it is until the next try
// leaves no file to write to, and nothing to wait for: what comes is lost.
func TestSlowLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		once := &onceDisk{}
		r := prepare(t, once, places, func(c *Config) {
			c.MaxBytes = int64(len(headerRow)) + 100
			c.Log = slog.New(slowLog{slog.DiscardHandler, func() { time.Sleep(again) }})
		})
		r.Start(nil)
		r.pass(20)
		time.Sleep(time.Second + again)
		synctest.Wait()
		if r.counts.Lost.Load() == 0 || r.counts.Failures.Load() == 0 {
			t.Errorf("%d lost, %d failures", r.counts.Lost.Load(), r.counts.Failures.Load())
		}
		all := r.over()
		if n := r.counts.Written.Load(); n == 0 || n != uint64(len(all)) || n+r.counts.Lost.Load() != 20 {
			t.Errorf("%d records, %d written, %d lost", len(all), n, r.counts.Lost.Load())
		}
	})
}

// onceDisk makes one file and no other.
type onceDisk struct {
	disk
	made bool
}

func (d *onceDisk) create(name string, keep int) (file, error) {
	if d.made {
		return nil, fs.ErrPermission
	}
	d.made = true
	return d.disk.create(name, keep)
}

// slowLog waits at each line.
type slowLog struct {
	slog.Handler
	wait func()
}

func (l slowLog) Enabled(context.Context, slog.Level) bool { return true }

func (l slowLog) Handle(context.Context, slog.Record) error {
	l.wait()
	return nil
}

// A file that is taken away is told each time, and another begun.
func TestVanishedFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, nil)
		name := r.config.File
		second := func() {
			r.pass(1)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		second()
		must(t, os.Remove(name))
		second()
		second()
		must(t, os.Rename(name, name+".old"))
		second()
		second()
		must(t, os.Truncate(name, 0)) // as logrotate's copytruncate does
		second()
		second()
		must(t, os.Remove(name))
		must(t, os.Mkdir(name, 0o700))
		for range 15 {
			second()
		}
		must(t, os.Remove(name))
		for range 11 {
			second()
		}
		n := len(r.over())
		r.said("has been taken away", 4)
		r.said("nothing is recorded", 1)
		r.said("recording again", 1)
		if n == 0 || r.counts.Written.Load()+r.counts.Lost.Load() != 33 || r.counts.Lost.Load() < 15 {
			t.Errorf("%d records, %d written, %d lost", n, r.counts.Written.Load(), r.counts.Lost.Load())
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
