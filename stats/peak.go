package stats

import "time"

// PeakSlices is the number of slices that a [Peak] divides its interval into.
const PeakSlices = 8

// DefaultPeakInterval is the interval of a [Peak] that names none.
const DefaultPeakInterval = 10 * time.Second

// Peak is the largest value of a sliding interval, kept in [PeakSlices] slices
// of it: a value is forgotten between 7/8 of the interval and the whole
// interval after it was seen, never later. The zero value is ready. It is not
// safe for concurrent use.
type Peak struct {
	// Interval is how far back the peak looks; 0 means DefaultPeakInterval. It
	// is set before first use.
	Interval time.Duration

	slices [PeakSlices]float64
	slice  int64 // number of the newest slice since the epoch
	used   bool
}

// Add sees the value v at now. Values below zero count as zero.
func (p *Peak) Add(now time.Duration, v float64) {
	p.advance(now)
	s := &p.slices[p.slice%PeakSlices]
	*s = max(*s, v)
}

// Value returns the largest value of the interval that ends at now, 0 when
// none was seen.
func (p *Peak) Value(now time.Duration) float64 {
	p.advance(now)
	v := 0.0
	for _, s := range p.slices {
		v = max(v, s)
	}
	return v
}

func (p *Peak) advance(now time.Duration) {
	interval := p.Interval
	if interval <= 0 {
		interval = DefaultPeakInterval
	}
	n := int64(max(now, 0) / max(interval/PeakSlices, 1))
	if !p.used {
		p.slice, p.used = n, true
		return
	}
	for range min(n-p.slice, PeakSlices) { // a negative count does nothing
		p.slice++
		p.slices[p.slice%PeakSlices] = 0
	}
	p.slice = max(p.slice, n)
}
