package size

import (
	"math"
	"time"
)

// queueIn is what is known of a queue. Zero is not known.
type queueIn struct {
	rate           float64       // mu: completed per second while there is work
	wait           time.Duration // Wq: the longest wait that callers accept
	varies         bool          // variation is known
	variation      float64       // of the service time: its standard deviation over its mean
	percentile     float64       // share of the waits at the back, in percent, that variation leaves within wait
	service, short time.Duration // mean service time of all, and of the class that is served first
	pool           int           // workers or threads
	burst          float64       // the largest one expected
	offered        float64       // arrivals per second that go on beside it
}

// queueOut is the bounds of a queue. What the input does not tell is null.
type queueOut struct {
	Bound         number   `json:"bound"`
	VariableBound *number  `json:"bound_variable_service"`
	ShortBound    *number  `json:"bound_short_class"`
	HalfPool      *number  `json:"half_pool_advice"`
	Interval      *seconds `json:"interval_s"`
	in            queueIn
}

// queue computes the bounds of a queue.
func queue(in queueIn) queueOut {
	out := queueOut{in: in, Bound: number(floor(in.rate * in.wait.Seconds()))}
	fifo := out.Bound
	if in.varies {
		fifo = number(variableBound(in.rate*in.wait.Seconds(), in.variation, in.percentile))
		out.VariableBound = &fifo
	}
	if in.short > 0 {
		// Who goes first never waits longer than in order of arrival.
		n := max(fifo, number(shortBound(in)))
		out.ShortBound = &n
	}
	if in.pool > 0 {
		n := number(in.pool / 2)
		out.HalfPool = &n
	}
	if in.burst > 0 {
		s := seconds(in.burst / (in.rate - in.offered))
		out.Interval = &s
	}
	return out
}

// variableBound returns the most places whose last one waits no longer than
// expected services take on average, in a share of cases. The sum of L
// independent services has the mean L/mu and the variance L cv^2/mu^2, so that
//
//	L + z cv sqrt(L) <= mu Wq
//
// by the central limit theorem for renewal processes, for any number of
// workers that are all busy.
func variableBound(expected, variation, percentile float64) float64 {
	z := math.Sqrt2 * math.Erfinv(percentile/50-1)
	spread := z * variation
	root := (math.Sqrt(spread*spread+4*expected) - spread) / 2
	return floor(root * root)
}

// shortBound returns the places of a class that is served first: once the
// services in progress are over, which takes S (1+cv^2)/2 on average, all
// workers are its own, at mu S/short.
func shortBound(in queueIn) float64 {
	service := in.service.Seconds()
	residual := service * (1 + in.variation*in.variation) / 2
	left := max(0, in.wait.Seconds()-residual)
	return floor(in.rate * service / in.short.Seconds() * left)
}

func (o queueOut) rows() []row {
	rows := []row{{"bound", o.Bound, "rate x wait"}}
	if o.Bound == 0 {
		rows[0].why = "not one request is served within the wait: do not queue"
	}
	if o.VariableBound != nil {
		why := "the last place waits no longer in " + number(o.in.percentile).String() + " % of cases, at a variation of " + number(o.in.variation).String()
		rows = append(rows, row{"bound, variable service", *o.VariableBound, why})
	}
	if o.ShortBound != nil {
		rows = append(rows, row{"bound, short class", *o.ShortBound, "served first, at " + seconds(o.in.short.Seconds()).String() + " each"})
	}
	if o.HalfPool != nil {
		why := "for steady traffic at most half the pool (SRE book); the bound"
		if o.Bound > *o.HalfPool {
			why += " is above it"
		} else {
			why += " is not above it"
		}
		rows = append(rows, row{"advice", *o.HalfPool, why})
	}
	if o.Interval != nil {
		rows = append(rows, row{"interval", *o.Interval, "the largest burst drains in it"})
	}
	return rows
}
