package schedule

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

func replayed(text string, speed float64) (*Schedule, error) {
	return Replay("day.csv", strings.NewReader(text), int64(len(text)), speed)
}

func TestReplay(t *testing.T) {
	s, err := replayed("time,class,deadline\n10,CRITICAL,1s\n12,SHEDDABLE,200ms\n11,,\n14,,\n", 2)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // it can be read again
		var got []string
		for a := range s.Times(0) {
			got = append(got, fmt.Sprint(a.Due, " ", a.Recorded.Criticality, " ", a.Recorded.Deadline))
		}
		if want := []string{"0s CRITICAL 1s", "500ms UNSET 0s", "1s SHEDDABLE 200ms", "2s UNSET 0s"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if s.Err() != nil {
			t.Error(s.Err())
		}
	}
	if got, want := s.String(), "4 requests of day.csv within 2s, at 2 times its speed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s.Expected() != 4 || s.Length() != 2*time.Second+1 {
		t.Errorf("%v expected in %v", s.Expected(), s.Length())
	}
	if end, ok := s.LastPeak(); ok {
		t.Errorf("a peak that ends at %v", end)
	}
}

func TestReplayTellsEveryFault(t *testing.T) {
	for _, tt := range []struct {
		text  string
		speed float64
		want  string
	}{
		{"", 1, "day.csv:1: want a header row"},
		{"time\n", 1, "day.csv: want at least one request"},
		{"time\n1\n", 0, "speed: want a number from 0.001 to 1000, have 0"},
		{"time\n1\n", math.NaN(), "speed: want a number"},
		{"time,class\nx,CRITICAL\n1,PINK\n2,\n3\n", math.Inf(1), "day.csv:2: time: want a time;day.csv:3: class: want CRITICAL_PLUS;day.csv:5: want 2 fields;speed: "},
		{"time\n0\n700000\n", 1, "day.csv: want requests within 168h0m0s"},
		{`{"time":1}` + "\n" + `{"time":2,`, 1, "day.csv:2: "},
	} {
		_, err := replayed(tt.text, tt.speed)
		got, ok := strict.FaultsOf(err)
		want := strings.Split(tt.want, ";")
		if !ok || len(got) != len(want) {
			t.Errorf("%q: %v, want %q", tt.text, err, want)
			continue
		}
		for i, f := range got {
			if !strings.HasPrefix(f.String(), want[i]) {
				t.Errorf("%q: %v, want %q", tt.text, f, want[i])
			}
		}
	}
	_, err := replayed("time\n"+strings.Repeat("x\n", maxFaults+5), 1)
	if got, _ := strict.FaultsOf(err); len(got) != maxFaults || !strings.HasSuffix(got[maxFaults-1].Want, "; and 5 faults more") {
		t.Errorf("%.80v", err)
	}
}

// What is played is what trace.Read would have sorted, whatever the disorder.
func TestReplaySortsAsReadDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, disorder := range []float64{0, 0.01, 1, 1000} {
		var written []sim.Record
		for i := range 2000 {
			written = append(written, sim.Record{At: time.Duration(i) * time.Millisecond, Tenant: fmt.Sprint(i), Criticality: class.Critical})
			if r.IntN(3) == 0 {
				written[i].At = written[max(i-1, 0)].At // two at once keep their order
			}
		}
		key := map[string]time.Duration{}
		for _, w := range written {
			key[w.Tenant] = w.At + time.Duration(r.Float64()*disorder*float64(time.Second))
		}
		slices.SortStableFunc(written, func(a, b sim.Record) int { return cmp.Compare(key[a.Tenant], key[b.Tenant]) })
		var text strings.Builder
		if err := trace.WriteNDJSON(&text, written); err != nil {
			t.Fatal(err)
		}
		want, err := trace.Read(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		s, err := replayed(text.String(), 1)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for a := range s.Times(9) {
			if *a.Recorded != want[n] || a.Due != want[n].At-want[0].At {
				t.Fatalf("disorder of %v s: %d is %+v at %v, want %+v", disorder, n, *a.Recorded, a.Due, want[n])
			}
			n++
		}
		if n != len(want) || s.Err() != nil {
			t.Errorf("%d of %d, %v", n, len(want), s.Err())
		}
	}
}

// A file that is in order is never held, however long it is.
func TestReplayHoldsNothingOfWhatIsInOrder(t *testing.T) {
	r := &endless{n: 200_000}
	s, err := Replay("long", r, r.size(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := testing.AllocsPerRun(1, func() { count(s, 1) }) / 200_000; got > 8 {
		t.Errorf("%v objects a record", got)
	}
	q := sorter{}
	for i := range 1000 {
		q.put(sim.Record{At: time.Duration(i)})
		for q.ready(time.Duration(i)) {
			q.take()
		}
		if len(q.heap) > 0 {
			t.Fatal("something stays")
		}
	}
}

// endless is a text of many lines of 10 bytes that nobody holds.
type endless struct{ n int64 }

func (e *endless) size() int64 { return 5 + e.n*10 }

func (e *endless) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		at := off + int64(i)
		if at < 5 {
			p[i] = "time\n"[at]
			continue
		}
		line := fmt.Sprintf("%09d\n", (at-5)/10)
		i += copy(p[i:], line[(at-5)%10:])
		return i, nil
	}
	return len(p), nil
}

func TestReplayOfWhatChangesMeanwhile(t *testing.T) {
	text := []byte("time\n1\n2\n3\n")
	s, err := Replay("t", readerAt{&text}, int64(len(text)), 1)
	if err != nil {
		t.Fatal(err)
	}
	text[7] = 'x'
	if n := count(s, 1); n != 1 || s.Err() == nil || !strings.Contains(s.Err().Error(), "line 3") {
		t.Errorf("%d, %v", n, s.Err())
	}
	text[7] = '2'
	if n := count(s, 1); n != 3 || s.Err() != nil {
		t.Errorf("%d, %v", n, s.Err())
	}
	text = text[:9]
	if n := count(s, 1); n != 2 || s.Err() == nil || !strings.Contains(s.Err().Error(), "had 3 requests") {
		t.Errorf("%d, %v", n, s.Err())
	}
}

// readerAt reads what a text is now.
type readerAt struct{ text *[]byte }

func (r readerAt) ReadAt(p []byte, off int64) (int, error) {
	return strings.NewReader(string(*r.text)).ReadAt(p, off)
}

func TestRateOfATrace(t *testing.T) {
	var text strings.Builder
	text.WriteString("time_ms\n")
	const n = 20_000 // 10 a second, 30 in the last quarter: some 1500 s
	at := 5000.0
	for i := range n {
		fmt.Fprintf(&text, "%.3f\n", at)
		if at += 100; i >= n/2 {
			at -= 200.0 / 3
		}
	}
	for _, speed := range []float64{0.1, 1, 10} {
		s, err := replayed(text.String(), speed)
		if err != nil {
			t.Fatal(err)
		}
		for share, want := range map[float64]float64{0.1: 10, 0.5: 10, 0.8: 30, 0.9: 30} {
			if got := s.At(time.Duration(share*float64(s.Length()))) / speed; math.Abs(got-want) > 1.01 {
				t.Errorf("speed %v: %v/s at %v of it, want %v", speed, got, share, want)
			}
		}
		if got := s.shape.total(s.Length() * 3 / 4); math.Abs(got-n/2) > 15 {
			t.Errorf("speed %v: %v in three quarters, want %v", speed, got, n/2)
		}
	}
	// Much longer than there are levels: they become coarser.
	s, err := replayed("time\n0\n1\n2\n500000\n600000\n", 1)
	if err != nil {
		t.Fatal(err)
	}
	if l := s.shape.(*levels); len(l.counts) > maxLevels || l.counts[0] != 3 || s.Expected() != 5 {
		t.Errorf("%d levels, %d in the first, %v in all", len(l.counts), l.counts[0], s.Expected())
	}
}

func FuzzReplay(f *testing.F) {
	f.Add("time,class\n1,CRITICAL\n0.5,\n", 1.0)
	f.Add(`{"time":1}`, 0.5)
	f.Add("time\n9\nx\n", 1e3)
	f.Fuzz(func(t *testing.T, text string, speed float64) {
		s, err := replayed(text, speed)
		if err != nil {
			if faults, ok := strict.FaultsOf(err); !ok || len(faults) == 0 {
				t.Errorf("%v", err)
			}
			return
		}
		n, last := 0, time.Duration(0)
		for a := range s.Times(0) {
			if a.Due < last || a.Due >= s.Length() || a.Recorded == nil {
				t.Fatalf("%v after %v of %v", a.Due, last, s.Length())
			}
			last = a.Due
			n++
		}
		if float64(n) != s.Expected() || s.Err() != nil {
			t.Errorf("%d of %v: %v", n, s.Expected(), s.Err())
		}
	})
}
