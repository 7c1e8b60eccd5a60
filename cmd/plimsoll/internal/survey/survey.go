package survey

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// Survey is what there is to say of a trace. It has a record at least.
type Survey struct {
	Requests int
	Length   time.Duration    // from its first request to its last
	End      time.Duration    // when its last request came
	Peak     int              // the most requests within a second
	Classes  [class.Count]int // by lane
	Unsaid   int              // requests that say no class
	Tenants  int
	Served   int // requests of which it is known how long serving them took
	Kinds    []Kind

	// Rate is how many requests a second were answered at most: the mean of the
	// three seconds in which that was most. The service is that fast at least.
	Rate float64
}

// Kind is what there is to say of the requests of one kind.
type Kind struct {
	Name       string
	Requests   int
	NoDeadline int             // requests that say no deadline
	Times      []time.Duration // how long serving them took, in rising order
}

// Of looks at records in the order of their times, one at least.
func Of(records []sim.Record) Survey {
	first := records[0].At
	s := Survey{Requests: len(records), End: records[len(records)-1].At}
	s.Length = s.End - first
	tenants := map[string]bool{}
	at := map[string]int{}
	seconds := map[time.Duration]int{}
	calm := calmSeconds(records)
	hurried := map[string][]time.Duration{} // of the other seconds, by kind
	for i := range records {
		r := &records[i]
		if r.Criticality == class.Unset {
			s.Unsaid++
		} else {
			s.Classes[r.Criticality.Lane()]++
		}
		if r.Tenant != "" {
			tenants[r.Tenant] = true
		}
		second := r.At / time.Second
		seconds[second]++
		s.Peak = max(s.Peak, seconds[second])
		n, known := at[r.Kind]
		if !known {
			n = len(s.Kinds)
			at[r.Kind] = n
			s.Kinds = append(s.Kinds, Kind{Name: r.Kind})
		}
		k := &s.Kinds[n]
		k.Requests++
		if r.Deadline == 0 {
			k.NoDeadline++
		}
		switch {
		case r.Service == 0:
			continue
		case calm[second]:
			k.Times = append(k.Times, r.Service)
		default:
			hurried[r.Kind] = append(hurried[r.Kind], r.Service)
		}
		s.Served++
	}
	s.Tenants, s.Rate = len(tenants), rate(records)
	for i := range s.Kinds {
		k := &s.Kinds[i]
		if len(k.Times) == 0 {
			k.Times = hurried[k.Name]
		}
		slices.Sort(k.Times)
	}
	return s
}

// quantile is the time that a share of a kind's requests took at most.
func (k *Kind) quantile(q float64) time.Duration {
	return k.Times[int(math.Round(q*float64(len(k.Times)-1)))]
}

// calmSeconds are those in which the fewest requests were served at once: a
// quarter of those in which any was.
func calmSeconds(records []sim.Record) map[time.Duration]bool {
	work := map[time.Duration]time.Duration{} // by the second in which it came
	for i := range records {
		if r := &records[i]; r.Service > 0 {
			work[r.At/time.Second] += r.Service
		}
	}
	seconds := slices.SortedFunc(maps.Keys(work), func(a, b time.Duration) int {
		return cmp.Or(cmp.Compare(work[a], work[b]), cmp.Compare(a, b))
	})
	calm := map[time.Duration]bool{}
	for _, second := range seconds[:(len(seconds)+3)/4] {
		calm[second] = true
	}
	return calm
}

// window is how many seconds a rate is the mean of: one alone has luck in it.
const window = 3

// rate is how many requests a second were answered at most. Waits are not in a
// trace, so each counts as served from when it came.
func rate(records []sim.Record) float64 {
	ended := map[time.Duration]int{}
	for i := range records {
		if r := &records[i]; r.Service > 0 {
			ended[(r.At+r.Service)/time.Second]++
		}
	}
	most := 0
	for second := range ended {
		n := 0
		for i := range window {
			n += ended[second+time.Duration(i)]
		}
		most = max(most, n)
	}
	return float64(most) / min(window, max(1, float64(len(ended))))
}
