package sim

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestRowsAddUp: kinds, criticalities and tenants are three views of one whole,
// and so are the series and what they are summed up to.
func TestRowsAddUp(t *testing.T) {
	s := motley()
	s.Sources = append(s.Sources, ofTenants())
	r := play(t, s, 5)
	var kinds, classes Tally
	for i := range r.Kinds {
		kinds.merge(&r.Kinds[i].Tally)
	}
	for i := range r.Classes {
		classes.merge(&r.Classes[i])
	}
	if kinds != r.Total {
		t.Error("the kinds do not add up to the total")
	}
	if classes != r.Total {
		t.Error("the criticalities do not add up to the total")
	}
	var tenants Counts
	for i := range r.Tenants {
		tenants.merge(&r.Tenants[i].Counts)
	}
	var want Counts // what has a tenant
	for i := range r.Kinds {
		if k := r.Kinds[i]; k.Kind == "a" || k.Kind == "b" || k.Source == "recorded" {
			want.merge(&k.Counts)
		}
	}
	if tenants != want {
		t.Errorf("the tenants add up to %+v, want %+v", tenants, want)
	}
	for i := range r.Series {
		var p Point
		for j := range r.Kinds {
			p.Add(r.Kinds[j].Series[i])
		}
		if p != r.Series[i] {
			t.Errorf("bucket %d: the kinds add up to %+v, want %+v", i, p, r.Series[i])
		}
	}
	all, c := r.Sum(0, r.End+1), &r.Total
	if all.Offered != c.Offered || all.Attempts != c.Attempts || all.Good != c.Good || all.Late != c.Late || all.Refused != c.RefusedTotal() ||
		all.Worked != c.Worked || all.Wasted != c.Wasted || all.Waited != c.Waits.Sum() || all.Done != c.Good+c.Late {
		t.Errorf("the series add up to %+v, want %+v", all, c.Counts)
	}
	if all.MaxWait < c.Waits.Quantile(1)*31/32 || all.MaxWait > c.Waits.Quantile(1)*33/32 {
		t.Errorf("the longest wait is %v, the highest quantile %v", all.MaxWait, c.Waits.Quantile(1))
	}
	for i, d := range c.Refusals {
		if d > 0 && c.Refused[i] == 0 {
			t.Errorf("none was refused with %v, and the longest took %v", Reason(i), d)
		}
	}
	var refused [class.Count + 1]uint64
	for _, st := range r.Stations {
		for _, l := range st.Series {
			for i, n := range l.Refusals {
				refused[i] += n
			}
		}
	}
	for i, n := range refused {
		if got := r.Classes[i].RefusedTotal(); got != n {
			t.Errorf("%v: %d refused over time, %d in all", class.Criticality(i), n, got)
		}
	}
}

// ofTenants is a source of 600 requests of four tenants, the last of which comes
// first.
func ofTenants() Source {
	src := Source{Name: "recorded", Kinds: []Kind{{Name: "k", Service: Deterministic(5 * ms), Tenant: "its kind's"}}}
	for i := range 600 {
		src.Records = append(src.Records, Record{
			At: time.Duration(i) * 10 * ms, Tenant: []string{"z", "", "y", "x"}[i%4],
			Criticality: class.Criticality(i % (class.Count + 1)),
		})
	}
	return src
}

// TestTenants: tenants are told in the order in which they came, and a record's
// criticality and tenant are what it is counted by.
func TestTenants(t *testing.T) {
	s := Scenario{Length: 10 * time.Second, Sources: []Source{ofTenants()}, Stations: []Station{{Workers: 1}}}
	r := play(t, s, 1)
	var names []string
	for _, row := range r.Tenants {
		names = append(names, row.Tenant)
		if row.Offered != 150 || row.Good != 150 || row.Worked != 750*ms {
			t.Errorf("%s: %+v", row.Tenant, row.Counts)
		}
	}
	if want := []string{"z", "its kind's", "y", "x"}; !slices.Equal(names, want) {
		t.Errorf("tenants %q, want %q", names, want)
	}
	for c := range r.Classes {
		if got := r.Classes[c].Latencies.Count(); got != 120 {
			t.Errorf("%v: %d answers, want 120", class.Criticality(c), got)
		}
	}
}

// TestRecovered: goodput is back when it has its share and keeps it in the mean.
func TestRecovered(t *testing.T) {
	for name, tc := range map[string]struct {
		good  []uint64 // of ten offered in each second
		after time.Duration
		of    float64
		want  time.Duration
		ok    bool
	}{
		"never away":             {[]uint64{10, 10, 10, 10}, time.Second, 10, 0, true},
		"back":                   {[]uint64{10, 0, 0, 9, 9}, time.Second, 10, 2 * time.Second, true},
		"back, of offered":       {[]uint64{10, 0, 0, 9, 9}, time.Second, 0, 2 * time.Second, true},
		"not back":               {[]uint64{10, 0, 0, 1, 0}, time.Second, 10, 0, false},
		"one bucket is not back": {[]uint64{10, 0, 9, 0, 0, 0}, time.Second, 10, 0, false},
		"it may dip":             {[]uint64{0, 10, 8, 10, 9}, 0, 10, time.Second, true},
		"the half of it":         {[]uint64{0, 0, 10, 10}, 0, 5, 2 * time.Second, true},
		"from within a bucket":   {[]uint64{0, 0, 10, 10}, 1500 * ms, 10, 500 * ms, true},
		"at the end":             {[]uint64{10, 10}, 2 * time.Second, 10, 0, false},
		// What is answered after the scenario's length does not count.
		"beyond the end": {[]uint64{0, 0, 0, 0, 0, 0, 0, 0, 10}, 0, 10, 0, false},
	} {
		r := Report{Length: min(time.Duration(len(tc.good)), 8) * time.Second, Bucket: time.Second}
		for _, n := range tc.good {
			r.Series = append(r.Series, Point{Offered: 10, Good: n})
		}
		if got, ok := r.Recovered(tc.after, 0.9, tc.of); got != tc.want || ok != tc.ok {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, ok, tc.want, tc.ok)
		}
	}
}

// TestMemoryOfADay: the series of a day by the second, for eight kinds, and two
// thousand tenants.
func TestMemoryOfADay(t *testing.T) {
	s := Scenario{Length: 24 * time.Hour, Stations: []Station{{Workers: 10, Gate: &Gate{}}}}
	for i := range 8 {
		s.Sources = append(s.Sources, Source{Name: string(rune('a' + i)), Arrivals: Constant{Rate: 0.1}, Kinds: []Kind{{Service: Deterministic(ms)}}})
	}
	tenants := Source{Name: "tenants", Kinds: []Kind{{Service: Deterministic(ms)}}}
	for i := range 2000 {
		tenants.Records = append(tenants.Records, Record{At: time.Duration(i) * time.Second, Tenant: string(rune('a' + i))})
	}
	s.Sources = append(s.Sources, tenants)
	r := play(t, s, 1)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("%d MB for %d buckets", m.HeapAlloc>>20, len(r.Series))
	if len(r.Series) < 86_000 || len(r.Tenants) != 2000 || m.HeapAlloc > 100<<20 {
		t.Errorf("%d MB for %d buckets and %d tenants", m.HeapAlloc>>20, len(r.Series), len(r.Tenants))
	}
	runtime.KeepAlive(r)
}
