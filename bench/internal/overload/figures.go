package overload

import (
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// Figures are what a run came to for one policy. Rates and shares are of the
// time after the first seconds, which a limiter may take to find its limit.
type Figures struct {
	Policy     string    `json:"policy"`
	Offered    float64   `json:"offered_per_s"`
	Goodput    float64   `json:"goodput_per_s"`  // answered before the caller left
	Capacity   float64   `json:"capacity_per_s"` // of the backend, measured beside it
	OfCapacity float64   `json:"of_capacity"`    // Goodput / Capacity
	Worst      float64   `json:"worst_second"`   // the least goodput of a second / Capacity
	Refused    float64   `json:"refused_share"`  // of what was due
	Late       float64   `json:"late_share"`     // of what was due: its caller had left
	P50        float64   `json:"p50_ms"`         // of what was answered in time
	P99        float64   `json:"p99_ms"`         //
	Slip       float64   `json:"begun_ms"`       // from when it was due until it got to run, 99th percentile
	Processors float64   `json:"processors"`     // that others on the machine left to this process; 0: not measured
	Seconds    []float64 `json:"goodput_by_second"`
}

// settle is what a limiter is given to find its limit.
const settle = 5 * time.Second

// bySecond counts good requests by the second in which they ended, over whole
// seconds.
func bySecond(records []record, length time.Duration) []float64 {
	out := make([]float64, length/time.Second)
	for _, r := range records {
		if i := int(r.ended / time.Second); r.ending == good && i < len(out) {
			out[i]++
		}
	}
	return out
}

// figures sums up what became of requests, beside a capacity.
func figures(name string, records []record, length time.Duration, capacity float64) Figures {
	f := Figures{Policy: name, Capacity: capacity, Seconds: bySecond(records, length)}
	settled := f.Seconds[settle/time.Second:]
	f.Goodput = mean(settled)
	f.OfCapacity, f.Worst = f.Goodput/capacity, slices.Min(settled)/capacity
	var took, slip []time.Duration
	counts := map[ending]float64{}
	all := 0.0
	for _, r := range records {
		slip = append(slip, r.sent-r.due)
		if r.due < settle {
			continue
		}
		all++
		counts[r.ending]++
		if r.ending == good {
			took = append(took, r.ended-r.due)
		}
	}
	f.Offered = all / (length - settle).Seconds()
	f.Refused, f.Late = counts[refused]/max(all, 1), counts[late]/max(all, 1)
	f.P50, f.P99, f.Slip = quantile(took, 0.5), quantile(took, 0.99), quantile(slip, 0.99)
	return f
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// quantile is in milliseconds; it sorts its argument.
func quantile(d []time.Duration, q float64) float64 {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[int(q*float64(len(d)-1))].Seconds() * 1e3
}

// Median is each figure's median over rounds of one policy. Seconds are left to
// the rounds.
func Median(rounds []Figures) Figures {
	out := Figures{Policy: rounds[0].Policy}
	for _, field := range []func(*Figures) *float64{
		func(f *Figures) *float64 { return &f.Offered },
		func(f *Figures) *float64 { return &f.Goodput },
		func(f *Figures) *float64 { return &f.Capacity },
		func(f *Figures) *float64 { return &f.OfCapacity },
		func(f *Figures) *float64 { return &f.Worst },
		func(f *Figures) *float64 { return &f.Refused },
		func(f *Figures) *float64 { return &f.Late },
		func(f *Figures) *float64 { return &f.P50 },
		func(f *Figures) *float64 { return &f.P99 },
		func(f *Figures) *float64 { return &f.Slip },
		func(f *Figures) *float64 { return &f.Processors },
	} {
		v := make([]float64, len(rounds))
		for i := range rounds {
			v[i] = *field(&rounds[i])
		}
		*field(&out) = meter.Median(v)
	}
	return out
}
