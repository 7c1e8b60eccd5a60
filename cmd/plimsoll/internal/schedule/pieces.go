package schedule

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"
)

// piece is a rate that goes from one value to another in a straight line.
type piece struct {
	from, to float64
	length   time.Duration
}

// sum is how many arrive within so much of it.
func (p piece) sum(d time.Duration) float64 {
	return (p.from + p.rate(d)) / 2 * d.Seconds()
}

func (p piece) rate(d time.Duration) float64 {
	if p.from == p.to {
		return p.from
	}
	return p.from + (p.to-p.from)*(float64(d)/float64(p.length))
}

// when is how long after its beginning n have arrived. With the slope s
//
//	n = from t + s t²/2   so   t = 2n / (from + sqrt(from² + 2sn))
//
// in the form that does not cancel for small slopes.
func (p piece) when(n float64) time.Duration {
	switch {
	case n <= 0:
		return 0
	case p.from == p.to:
		return nanoseconds(n / p.from)
	}
	slope := (p.to - p.from) / p.length.Seconds()
	root := math.Sqrt(max(p.from*p.from+2*slope*n, 0))
	return min(nanoseconds(2*n/(p.from+root)), p.length)
}

// pieces are one after the other. What lies after the last is like its end.
type pieces struct {
	all   []piece
	begin []time.Duration // of each, and the end of the last
	sums  []float64       // arrived by then
}

func newPieces(all []piece) *pieces {
	p := &pieces{all: all, begin: make([]time.Duration, len(all)+1), sums: make([]float64, len(all)+1)}
	for i, one := range all {
		p.begin[i+1] = p.begin[i] + one.length
		p.sums[i+1] = p.sums[i] + one.sum(one.length)
	}
	return p
}

func (p *pieces) length() time.Duration { return p.begin[len(p.all)] }

// in is the piece of a time, the last one for those after it.
func (p *pieces) in(t time.Duration) int {
	i := sort.Search(len(p.all), func(i int) bool { return p.begin[i+1] > t })
	return min(i, len(p.all)-1)
}

func (p *pieces) rate(t time.Duration) float64 {
	i := p.in(t)
	return p.all[i].rate(min(t-p.begin[i], p.all[i].length))
}

func (p *pieces) total(t time.Duration) float64 {
	i := p.in(t)
	return p.sums[i] + p.all[i].sum(min(t-p.begin[i], p.all[i].length))
}

func (p *pieces) when(n float64) time.Duration {
	edge := n + slack(n)
	i := sort.Search(len(p.all), func(i int) bool { return p.sums[i+1] > edge })
	if i == len(p.all) {
		return p.length()
	}
	return p.begin[i] + p.all[i].when(max(n-p.sums[i], 0))
}

func (p *pieces) peak(time.Duration) (time.Duration, bool) {
	low, high := math.Inf(1), 0.0
	for _, one := range p.all {
		low, high = min(low, one.from, one.to), max(high, one.from, one.to)
	}
	last := len(p.all) - 1 // of the pieces that reach into the upper half
	for last >= 0 && max(p.all[last].from, p.all[last].to) <= (low+high)/2 {
		last--
	}
	if last < 0 {
		return 0, false
	}
	top := max(p.all[last].from, p.all[last].to)
	i := last
	if p.all[last].to > (low+high)/2 {
		i++ // it is up to its end, and falls then
	}
	if i == len(p.all) {
		return 0, false
	}
	foot := p.all[i].from
	for ; i < len(p.all) && p.all[i].to < p.all[i].from && p.all[i].from <= foot; i++ {
		foot = p.all[i].to
	}
	return p.begin[i], fallen(top, foot)
}

// fallen says whether a rate that was so high is now so much lower that a
// service that was overloaded could recover.
func fallen(high, low float64) bool { return low < 0.8*high }

func (p *pieces) words(time.Duration) string {
	const most = 8
	var b strings.Builder
	for i, one := range p.all {
		if i == most {
			fmt.Fprintf(&b, ", and %d steps more", len(p.all)-most)
			break
		}
		if i > 0 {
			b.WriteString(", then ")
		}
		b.WriteString(one.words())
	}
	return b.String()
}

func (p piece) words() string {
	switch {
	case p.from < p.to:
		return fmt.Sprintf("%s rising to %s within %v", perSecond(p.from), perSecond(p.to), p.length)
	case p.from > p.to:
		return fmt.Sprintf("%s falling to %s within %v", perSecond(p.from), perSecond(p.to), p.length)
	}
	return fmt.Sprintf("%s for %v", perSecond(p.from), p.length)
}

func perSecond(rate float64) string {
	if rate == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%.6g/s", rate)
}
