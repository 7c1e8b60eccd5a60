package schedule

// arrivals is how requests of a rate follow one another.
type arrivals uint8

// The arrivals.
const (
	// poisson has every request come independently of the others: gaps are
	// exponential. It is what many callers who know nothing of each other make.
	poisson arrivals = iota
	// even spaces requests evenly: at a constant rate all gaps are equal, and
	// the number of requests is that of the rate.
	even
)

// parseArrivals reads how they are called in texts; empty: poisson.
func parseArrivals(text string) (arrivals, bool) {
	switch text {
	case "poisson", "":
		return poisson, true
	case "constant":
		return even, true
	}
	return 0, false
}

func (a arrivals) words() string {
	if a == even {
		return "evenly spaced arrivals"
	}
	return "Poisson arrivals"
}
