package size

import "time"

// concurrencyIn is what is known of a service. Zero is not known.
type concurrencyIn struct {
	latency  time.Duration // how long a request holds its slot
	rate     float64
	slots    int
	headroom float64 // factor on what is in flight
	clients  int     // of a closed loop
	think    time.Duration
	wait     time.Duration // the longest wait that callers accept
}

// concurrencyOut is what follows. What the input does not tell is null.
type concurrencyOut struct {
	InFlight    *number     `json:"in_flight"`
	Limit       *number     `json:"limit"`
	SlotsRate   *number     `json:"rate_of_slots_per_s"`
	Utilization *number     `json:"utilization"`
	QueueBound  *number     `json:"queue_bound"`
	Closed      *closedLoop `json:"closed_loop"`
}

// closedLoop is what a fixed number of clients can do at most, who each send
// the next request when the last was answered.
type closedLoop struct {
	InFlight   number  `json:"in_flight_max"`
	Waiting    number  `json:"waiting_max"`
	Rate       number  `json:"rate_max_per_s"`
	Latency    seconds `json:"latency_min_s"`
	Saturation number  `json:"saturating_clients"`
}

// concurrency computes what follows from Little's law.
func concurrency(in concurrencyIn) concurrencyOut {
	var out concurrencyOut
	latency := in.latency.Seconds()
	if in.rate > 0 {
		flight := number(in.rate * latency)
		limit := number(ceil(float64(flight) * in.headroom))
		out.InFlight, out.Limit = &flight, &limit
	}
	if in.slots == 0 {
		return out
	}
	rate := number(float64(in.slots) / latency)
	out.SlotsRate = &rate
	if in.rate > 0 {
		u := number(in.rate) / rate
		out.Utilization = &u
	}
	if in.clients > 0 {
		out.Closed = closed(in)
	}
	if in.wait > 0 {
		bound := number(floor(float64(in.slots) * in.wait.Seconds() / latency))
		if out.Closed != nil {
			bound = min(bound, out.Closed.Waiting)
		}
		out.QueueBound = &bound
	}
	return out
}

// closed computes the asymptotic bounds of a closed loop of N clients, think
// time Z and c slots held for S: in flight is N at most, whatever the rate,
// which follows from it.
func closed(in concurrencyIn) *closedLoop {
	n, c := float64(in.clients), float64(in.slots)
	s, z := in.latency.Seconds(), in.think.Seconds()
	return &closedLoop{
		InFlight:   number(n),
		Waiting:    number(max(0, n-c)),
		Rate:       number(min(c/s, n/(s+z))),
		Latency:    seconds(max(s, n*s/c-z)),
		Saturation: number(c * (s + z) / s),
	}
}

func (o concurrencyOut) rows() []row {
	var rows []row
	if o.InFlight != nil {
		rows = append(rows, row{"in flight", *o.InFlight, "rate x latency"}, row{"limit", *o.Limit, "in flight x headroom"})
	}
	if o.SlotsRate != nil {
		rows = append(rows, row{"rate of the slots", o.SlotsRate.String() + "/s", "slots / latency"})
	}
	if o.Utilization != nil {
		why := "rate / rate of the slots"
		if *o.Utilization >= 1 {
			why += ": too much, there is no steady state"
		}
		rows = append(rows, row{"utilization", percent(float64(*o.Utilization)), why})
	}
	if o.QueueBound != nil {
		rows = append(rows, row{"queue bound", *o.QueueBound, "slots x wait / latency, and no more than clients can fill"})
	}
	if c := o.Closed; c != nil {
		rows = append(rows,
			row{"in flight at most", c.InFlight, "the clients"},
			row{"waiting at most", c.Waiting, "clients - slots"},
			row{"rate at most", c.Rate.String() + "/s", "the lesser of slots / latency and clients / (latency + think)"},
			row{"latency at least", c.Latency, "the greater of latency and clients x latency / slots - think"},
			row{"clients that saturate", c.Saturation, "slots x (latency + think) / latency"})
	}
	return rows
}
