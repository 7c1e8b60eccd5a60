package size

import "math"

// retriesIn is a stack of callers that each retry what fails below them.
type retriesIn struct {
	attempts int     // each layer makes per request, the first included
	layers   int     // that retry
	budgeted bool    // there is a budget
	budget   float64 // retries per request that each layer makes at most
	failing  bool    // the share that fails is known
	fail     float64 // share of the attempts at the bottom that fail
	rate     float64 // operations per second at the top; 0: not known
	capacity float64 // attempts per second that the bottom serves; the others are refused; 0: not known
}

// retriesOut is what arrives at the bottom. What the input does not tell is
// null.
type retriesOut struct {
	Worst    number        `json:"worst_case_attempts"`
	Budget   *number       `json:"attempts_with_budget_max"`
	Failing  *retriesUnder `json:"at_failure_share"`
	Arrivals *retriesRate  `json:"arrivals"`
}

// retriesUnder is what happens while a share of the attempts fails.
type retriesUnder struct {
	Share    number `json:"share"`
	Attempts number `json:"attempts"`
	Failed   number `json:"operations_failed"`
}

// retriesRate is attempts per second at the bottom.
type retriesRate struct {
	Worst    number  `json:"worst_case_per_s"`
	Budget   *number `json:"with_budget_max_per_s"`
	Refusing *number `json:"refusing_per_s"`
	Refused  *number `json:"refused_share"`
}

// retries computes the amplification. With n attempts in each of k layers an
// operation makes N = n^k attempts at the bottom when all fail, and, when each
// fails with the share p, 1 + p + .. + p^(N-1): a layer's failure is the
// failure of all attempts below it, and the sums of the layers multiply to
// that one.
func retries(in retriesIn) retriesOut {
	most := math.Pow(float64(in.attempts), float64(in.layers))
	out := retriesOut{Worst: number(most)}
	if in.budgeted {
		b := number(min(most, math.Pow(1+in.budget, float64(in.layers))))
		out.Budget = &b
	}
	if in.failing {
		out.Failing = &retriesUnder{
			Share:    number(in.fail),
			Attempts: number(expectedAttempts(in.fail, most)),
			Failed:   number(math.Pow(in.fail, most)),
		}
	}
	if in.rate > 0 {
		out.Arrivals = in.arrivals(most, out.Budget)
	}
	return out
}

// expectedAttempts is (1 - p^N)/(1 - p).
func expectedAttempts(p, most float64) float64 {
	switch p {
	case 0:
		return 1
	case 1:
		return most
	}
	return -math.Expm1(most*math.Log(p)) / (1 - p)
}

// arrivals computes attempts per second. Where the bottom serves so many a
// second and refuses the others at once, retries settle where what succeeds is
// what it serves: rate (1 - p^N) = capacity, and arrivals = capacity/(1 - p).
func (in retriesIn) arrivals(most float64, budget *number) *retriesRate {
	out := &retriesRate{Worst: number(in.rate * most)}
	if budget != nil {
		b := number(in.rate) * *budget
		out.Budget = &b
	}
	if in.capacity > 0 {
		arrive, refused := number(in.rate), number(0)
		if in.rate > in.capacity {
			served := -math.Expm1(math.Log1p(-in.capacity/in.rate) / most) // 1 - p
			arrive, refused = number(in.capacity/served), number(1-served)
		}
		out.Refusing, out.Refused = &arrive, &refused
	}
	return out
}

func (o retriesOut) rows() []row {
	rows := []row{{"worst case", o.Worst.String() + " attempts", "attempts ^ layers: every one of them fails"}}
	if o.Budget != nil {
		rows = append(rows, row{"with the budget", "at most " + o.Budget.String(), "(1 + budget) ^ layers, on average"})
	}
	if f := o.Failing; f != nil {
		why := "per operation while " + percent(float64(f.Share)) + " fail; " + percent(float64(f.Failed)) + " of operations fail for good"
		rows = append(rows, row{"expected", f.Attempts.String() + " attempts", why})
	}
	if a := o.Arrivals; a != nil {
		rows = append(rows, row{"arrivals, all fail", a.Worst.String() + "/s", "rate x worst case"})
		if a.Refusing != nil {
			rows = append(rows, row{"arrivals, excess refused", a.Refusing.String() + "/s", percent(float64(*a.Refused)) + " of them refused, at once and for nothing"})
		}
		if a.Budget != nil {
			rows = append(rows, row{"arrivals, with the budget", "at most " + a.Budget.String() + "/s", ""})
		}
	}
	return rows
}
