package arena

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/optimum"
)

// Score is what one run came to. What is not defined for its scenario is nil.
type Score struct {
	Scenario string  `json:"scenario"`
	Policy   string  `json:"policy"`
	Seed     uint64  `json:"seed"`
	Goodput  float64 `json:"goodput_share"` // of the optimum
	Optimum  string  `json:"optimum"`       // which
	// FalseShed is the attempts that were refused although nobody has to be, as
	// a share of the requests.
	FalseShed *float64 `json:"false_shed_share"`
	P50       float64  `json:"p50_ms"` // of the answers in time
	P99       float64  `json:"p99_ms"`
	// Recovery is until goodput was back for good after what disturbed it had
	// ended; below 0: it never was.
	Recovery *float64 `json:"recovery_s"`
	// FirstSecond is the goodput of the second after a step of the load, as a
	// share of what was possible in it.
	FirstSecond *float64 `json:"first_second_share"`
	// CriticalPlus is the share of CRITICAL_PLUS requests that were answered in
	// time, where there are some.
	CriticalPlus  *float64 `json:"critical_plus_share,omitempty"`
	Amplification float64  `json:"amplification"` // attempts for a request
}

// possible is what a bout's seed allows.
type possible struct {
	worth  float64 // by the optimum of the bout
	second float64 // answers in the second after the step
	served float64 // answers a second after the trigger
}

// possibleOf computes it. It is the same for all policies.
func (b *Bout) possibleOf(seed uint64) (possible, error) {
	offers, err := sim.Offered(b.scenario, seed)
	if err != nil {
		return possible{}, err
	}
	at := optimum.Bottleneck(&b.scenario, offers)
	if at < 0 {
		at = b.stations[0]
	}
	in := optimum.Of(&b.scenario, offers, at, b.worth)
	p := possible{worth: b.optimum.of(in)}
	if b.step >= 0 {
		p.second = optimum.SizeBlind(between(in, b.step, b.step+time.Second))
	}
	if b.trigger >= 0 {
		p.served = optimum.SizeBlind(between(in, b.trigger, b.scenario.Length)) / (b.scenario.Length - b.trigger).Seconds()
	}
	return p, nil
}

// between is the part of an instance that arrives in an interval, and that can
// be served in it, everybody worth the same.
func between(in optimum.Instance, from, to time.Duration) optimum.Instance {
	part := in
	part.Jobs = nil
	for _, j := range in.Jobs {
		if j.Arrival >= from && j.Arrival < to {
			j.Deadline, j.Weight = min(j.Deadline, to), 1
			part.Jobs = append(part.Jobs, j)
		}
	}
	return part
}

// score judges a run.
func (b *Bout) score(p Policy, seed uint64, best possible, r *sim.Report) Score {
	s := Score{
		Scenario: b.Name, Policy: p.Name, Seed: seed, Optimum: b.optimum.name,
		Goodput: b.goodput(r) / best.worth,
		P50:     float64(r.Total.Latencies.Quantile(0.5)) / float64(time.Millisecond),
		P99:     float64(r.Total.Latencies.Quantile(0.99)) / float64(time.Millisecond),
	}
	s.Amplification = float64(r.Total.Attempts) / float64(max(r.Total.Offered, 1))
	if b.falseShed {
		refused := r.Total.RefusedTotal() - r.Total.Refused[sim.Cancelled]
		for _, c := range r.Calls {
			refused += c.RefusedTotal() - c.Refused[sim.Cancelled]
		}
		s.FalseShed = share(float64(refused), float64(r.Total.Offered))
	}
	if b.step >= 0 {
		s.FirstSecond = share(float64(r.Sum(b.step, b.step+time.Second).Good), best.second)
	}
	if b.trigger >= 0 {
		back, ok := r.Recovered(b.trigger, 0.95, best.served)
		seconds := back.Seconds()
		if !ok {
			seconds = -1
		}
		s.Recovery = &seconds
	}
	if t := r.Classes[class.CriticalPlus]; t.Offered > 0 {
		s.CriticalPlus = share(float64(t.Good), float64(t.Offered))
	}
	return s
}

// goodput is what the answers in time are worth.
func (b *Bout) goodput(r *sim.Report) float64 {
	if b.worth == nil {
		return float64(r.Total.Good)
	}
	sum := 0.0
	for c := range r.Classes {
		sum += float64(r.Classes[c].Good) * b.worth(sim.Offer{Criticality: class.Criticality(c)})
	}
	return sum
}

func share(part, whole float64) *float64 {
	s := 1.0
	if whole > 0 {
		s = part / whole
	}
	return &s
}
