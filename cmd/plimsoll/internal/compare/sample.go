package compare

import (
	"math"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// leastParts is how many parts say anything about how much they differ.
const leastParts = 5

// parts is how many whole parts of the schedule were played.
func parts(r *result.Result) int {
	n := math.Min(r.Ran, r.Length)/r.Part + 1e-9
	return int(math.Max(0, math.Min(n, float64(len(r.All.Parts)))))
}

// sample is the parts of one class of one run.
type sample struct {
	counts []counts
	// latency has the histograms of the parts over one list of values.
	values  []float64   // in milliseconds, ascending
	latency [][]float64 // by part and value
}

func (s side) sample() *sample {
	n := parts(s.run)
	out := &sample{counts: make([]counts, n), latency: make([][]float64, n)}
	each := int(math.Max(1, math.Min(math.Round(s.run.Part/s.run.Step), float64(len(s.class.Series)))))
	for i := range out.counts {
		from := min(i*each, len(s.class.Series))
		for _, second := range s.class.Series[from:min(from+each, len(s.class.Series))] {
			out.counts[i].add(&second)
		}
	}
	held := make([]map[int64]int64, n)
	var all []int64
	for i := range min(n, len(s.class.Parts)) {
		held[i] = map[int64]int64{}
		h, err := result.Histogram(s.class.Parts[i])
		if err != nil {
			continue // a result that was read has been held to be one
		}
		h.ForEachBucket(func(value, count int64) bool {
			held[i][value] = count
			all = append(all, value)
			return true
		})
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, v := range all {
		out.values = append(out.values, float64(v)/1e6)
	}
	for i := range out.latency {
		out.latency[i] = make([]float64, len(all))
		for j, v := range all {
			out.latency[i][j] = float64(held[i][v])
		}
	}
	return out
}

// of are the figures of the parts together, each as often as its weight says;
// where there is nothing to take one of it is what is given.
func (s *sample) of(weights []float64, otherwise []float64) []float64 {
	var c counts
	h := make([]float64, len(s.values))
	total := 0.0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		c.weigh(&s.counts[i], w)
		for j, n := range s.latency[i] {
			h[j] += w * n
			total += w * n
		}
	}
	out := slices.Clone(otherwise)
	for i := range figures {
		f := &figures[i]
		if f.ratio != nil {
			if part, whole := f.ratio(&c); whole > 0 {
				out[i] = part / whole
			}
		} else if total > 0 {
			out[i] = quantile(s.values, h, f.quantile*total)
		}
	}
	return out
}

// quantile is the value that so many do not exceed.
func quantile(values, counts []float64, rank float64) float64 {
	seen := 0.0
	for i, n := range counts {
		if seen += n; seen >= rank && n > 0 {
			return values[i]
		}
	}
	return values[len(values)-1]
}
