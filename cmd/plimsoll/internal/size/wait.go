package size

import "time"

// waitIn is a station of like workers with one queue, random (Poisson)
// arrivals and exponential service times. Either rate or utilization is known.
type waitIn struct {
	service     time.Duration // mean
	workers     int
	rate        float64 // arrivals per second
	utilization float64 // rate x service / workers
	knee        float64 // multiple of the service time
}

// waitOut is the waits there. Past a utilization of one there is no steady
// state and SteadyState is null; below, Overload is.
type waitOut struct {
	Workers     number       `json:"workers"`
	Utilization number       `json:"utilization"`
	Rate        number       `json:"rate_per_s"`
	Capacity    number       `json:"capacity_per_s"`
	SteadyState *steadyState `json:"steady_state"`
	Overload    *excess      `json:"overload"`
	Knee        knee         `json:"knee"`
}

// steadyState is what holds on average over a long time.
type steadyState struct {
	Waits       number  `json:"probability_of_waiting"`
	Wait        seconds `json:"wait_s"`
	WaitP99     seconds `json:"wait_p99_s"`
	System      seconds `json:"time_in_system_s"`
	SystemP50   seconds `json:"time_in_system_p50_s"`
	SystemP99   seconds `json:"time_in_system_p99_s"`
	Multiple    number  `json:"time_in_system_over_service"`
	P99OverMean number  `json:"p99_over_mean"`
	Waiting     number  `json:"waiting"`
	InSystem    number  `json:"in_system"`
}

// excess is what happens when more arrives than leaves.
type excess struct {
	Growth  number  `json:"growth_per_s"`
	Waiting number  `json:"waiting_after_1m"`
	Wait    seconds `json:"wait_after_1m_s"`
}

// knee is the utilization at which the time in the system passes a multiple
// of the service time.
type knee struct {
	Multiple    number `json:"multiple"`
	Utilization number `json:"utilization"`
	Rate        number `json:"rate_per_s"`
}

// wait computes the waits of M/M/c.
func wait(in waitIn) waitOut {
	service := in.service.Seconds()
	capacity := float64(in.workers) / service
	u := in.utilization
	if in.rate > 0 {
		u = in.rate / capacity
	}
	s := station{workers: in.workers, service: service, utilization: u}
	out := waitOut{Workers: number(in.workers), Utilization: number(u), Rate: number(u * capacity), Capacity: number(capacity)}
	if u < 1 {
		out.SteadyState = s.steady()
	} else {
		growth := (u - 1) * capacity
		out.Overload = &excess{Growth: number(growth), Waiting: number(growth * 60), Wait: seconds(growth * 60 / capacity)}
	}
	at := kneeOf(in.workers, in.knee)
	out.Knee = knee{Multiple: number(in.knee), Utilization: number(at), Rate: number(at * capacity)}
	return out
}

func (s station) steady() *steadyState {
	arrivals := s.utilization * float64(s.workers) / s.service
	mean, p99 := s.meanWait()+s.service, s.systemQuantile(0.99)
	return &steadyState{
		Waits:       number(erlangC(s.workers, s.utilization)),
		Wait:        seconds(s.meanWait()),
		WaitP99:     seconds(s.waitQuantile(0.99)),
		System:      seconds(mean),
		SystemP50:   seconds(s.systemQuantile(0.5)),
		SystemP99:   seconds(p99),
		Multiple:    number(mean / s.service),
		P99OverMean: number(p99 / mean),
		Waiting:     number(arrivals * s.meanWait()),
		InSystem:    number(arrivals * mean),
	}
}

func (o waitOut) rows() []row {
	rows := []row{
		{"utilization", percent(float64(o.Utilization)), "rate x service / workers"},
		{"rate", o.Rate.String() + "/s", "of " + o.Capacity.String() + "/s, workers / service"},
	}
	if s := o.SteadyState; s != nil {
		rows = append(rows,
			row{"has to wait", percent(float64(s.Waits)), "Erlang C"},
			row{"wait", s.Wait, "mean; p99 " + s.WaitP99.String()},
			row{"time in system", s.System, s.Multiple.String() + " x the service time; p50 " + s.SystemP50.String()},
			row{"p99 of it", s.SystemP99, s.P99OverMean.String() + " x the mean"},
			row{"waiting", s.Waiting, "mean; in the system " + s.InSystem.String()})
	}
	if e := o.Overload; e != nil {
		rows = append(rows, row{"queue grows", e.Growth.String() + "/s", "there is no steady state; after a minute " + e.Waiting.String() + " wait, the last for " + e.Wait.String()})
	}
	why := "the time in system passes " + o.Knee.Multiple.String() + " x the service time, at " + o.Knee.Rate.String() + "/s"
	return append(rows, row{"knee", percent(float64(o.Knee.Utilization)), why})
}
