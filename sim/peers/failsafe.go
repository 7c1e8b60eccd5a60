package peers

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// The constants of failsafe-go's adaptive limiter: its defaults, and the
// queueing factors that its documentation uses.
const (
	failsafeFirst    = 20
	failsafeLeast    = 1
	failsafeMost     = 200
	failsafeRoom     = 5 // times the most in flight: the highest limit
	failsafeSamples  = 50
	failsafeWindow   = time.Second
	failsafeLongest  = 30 * time.Second
	failsafeQuantile = 0.9
	failsafeBegin    = 2 // times the limit: queued without a refusal
	failsafeEnd      = 3 // times the limit: queued at most
)

// Failsafe is the adaptive limiter of github.com/failsafe-go/failsafe-go with
// queueing: the recent 90th percentile, smoothed, against a longer average of
// itself, as in TCP Vegas; and steps down while it is full where throughput
// does not follow what is in flight. A percentile is exact here, where the
// published one comes from a digest.
type Failsafe struct {
	random   *rand.Rand
	limit    float64
	update   time.Duration // not before it
	samples  []float64
	least    time.Duration
	most     int // in flight
	median   median5
	recent   average
	baseline average
	follows  correlation // throughput and what is in flight
	slows    correlation // latency and what is in flight
}

// NewFailsafe returns one at its first limit, 20.
func NewFailsafe(seed uint64) *Failsafe {
	return &Failsafe{
		random: rand.New(rand.NewPCG(seed, 0)), limit: failsafeFirst,
		recent: average{age: 5}, baseline: average{age: 10},
	}
}

// Arrive implements [sim.Admitter].
func (f *Failsafe) Arrive(v sim.View, _ sim.Request) sim.Admission {
	if v.InFlight < int(f.limit) && v.Waiting == 0 {
		return sim.Admit
	}
	begin, end := int(f.limit)*failsafeBegin, int(f.limit)*failsafeEnd
	switch {
	case v.Waiting < begin:
		return sim.Wait
	case v.Waiting >= end || float64(float64(v.Waiting-begin)/float64(end-begin)) >= f.random.Float64():
		return sim.Refuse
	}
	return sim.Wait
}

// Room implements [sim.Admitter].
func (f *Failsafe) Room(v sim.View) bool { return v.InFlight < int(f.limit) }

// Begin implements [sim.Admitter].
func (f *Failsafe) Begin(sim.View, sim.Request, time.Duration) bool { return true }

// Limit implements [sim.Admitter].
func (f *Failsafe) Limit() int { return int(f.limit) }

// End implements [sim.Admitter].
func (f *Failsafe) End(v sim.View, _ sim.Request, s sim.Served) {
	// The one that ends holds its permit still when the limiter looks whether
	// it is full.
	f.Record(v.Now, v.Now-s.Admitted, s.InFlight, v.InFlight+1 >= int(f.limit))
}

// Record takes the time that one request held its permit, how many permits were
// out when it got its own, and whether all are out now.
func (f *Failsafe) Record(now, took time.Duration, inFlight int, full bool) {
	if len(f.samples) == 0 {
		f.least, f.most = took, inFlight
	}
	f.least, f.most = min(f.least, took), max(f.most, inFlight)
	f.samples = append(f.samples, float64(took))
	if now <= f.update || len(f.samples) < failsafeSamples {
		return
	}
	recent := f.recent.add(f.median.add(quantile(f.samples, failsafeQuantile)))
	f.step(recent, f.most, full)
	f.update = now + min(max(2*f.least, failsafeWindow), failsafeLongest)
	f.samples = f.samples[:0]
}

// step is one update of the limit.
func (f *Failsafe) step(recent float64, inFlight int, full bool) {
	baseline := f.baseline.add(recent)
	queue := int(math.Ceil(float64(f.limit * (1 - float64(baseline/recent)))))
	throughput := float64(float64(inFlight) / float64(recent/1e9))
	follows, spread := f.follows.add(float64(inFlight), throughput)
	slows, _ := f.slows.add(float64(inFlight), recent)
	unit := digits(int(f.limit))
	next := f.limit
	switch {
	case queue > 6*unit,
		full && follows < 0,
		full && follows < 0.3 && slows > 0.5,
		full && spread < 0.2 && slows > 0.5:
		next -= float64(unit)
	case queue < 3*unit:
		next += float64(unit)
	}
	if most := float64(inFlight * failsafeRoom); next > most {
		if f.limit > most {
			next = f.limit - float64(unit)
		} else {
			next = most
		}
	}
	f.limit = min(max(next, failsafeLeast), failsafeMost)
}

// quantile interpolates between the neighbours in order, as a digest does.
func quantile(samples []float64, q float64) float64 {
	slices.Sort(samples)
	at := float64(q*float64(len(samples))) - 0.5
	i := min(max(int(at), 0), len(samples)-1)
	j := min(i+1, len(samples)-1)
	return samples[i] + float64((at-float64(i))*(samples[j]-samples[i]))
}

// median5 is the median of the last five, once there are five.
type median5 struct {
	last [5]float64
	n    int
}

func (m *median5) add(v float64) float64 {
	m.last[m.n%5] = v
	m.n++
	if m.n < 5 {
		return v
	}
	s := m.last
	slices.Sort(s[:])
	return s[2]
}

// average is the mean of the first ten, and smoothed from then on.
type average struct {
	age        float64
	n          int
	sum, value float64
}

func (a *average) add(v float64) float64 {
	if a.n < 10 {
		a.n++
		a.sum += v
		a.value = a.sum / float64(a.n)
		return a.value
	}
	share := 2 / float64(a.age+1)
	a.value = float64(a.value*(1-share)) + float64(v*share)
	return a.value
}

// correlation is that of the last fifty pairs.
type correlation struct{ x, y []float64 }

// add returns how the two go together, from -1 to 1, and the deviation of y
// over its mean. There is nothing to say before ten pairs, or while either
// varies by less than a hundredth.
func (c *correlation) add(x, y float64) (together, spread float64) {
	c.x, c.y = append(c.x, x), append(c.y, y)
	if len(c.x) > 50 {
		c.x, c.y = c.x[1:], c.y[1:]
	}
	n := float64(len(c.x))
	if n < 2 {
		return 0, 0
	}
	var meanX, meanY, xx, yy, xy float64
	for i := range c.x {
		meanX += c.x[i] / n
		meanY += c.y[i] / n
	}
	for i := range c.x {
		dx, dy := c.x[i]-meanX, c.y[i]-meanY
		xx += float64(dx * dx / n)
		yy += float64(dy * dy / n)
		xy += float64(dx * dy / n)
	}
	spreadX := math.Sqrt(xx) / meanX
	spread = math.Sqrt(yy) / meanY
	switch {
	case n < 10:
		return 0, 0
	case spreadX < 0.01 || spread < 0.01:
		return 0, spread
	}
	return xy / float64(math.Sqrt(xx)*math.Sqrt(yy)), spread
}
