package schedule

// Arrivals is how requests of a rate follow one another.
type Arrivals uint8

// The arrivals.
const (
	// Poisson has every request come independently of the others: gaps are
	// exponential. It is what many callers who know nothing of each other make.
	Poisson Arrivals = iota
	// Even spaces requests evenly: at a constant rate all gaps are equal, and
	// the number of requests is that of the rate.
	Even
)

// parseArrivals reads how they are called in texts; empty: poisson.
func parseArrivals(text string) (Arrivals, bool) {
	switch text {
	case "poisson", "":
		return Poisson, true
	case "constant":
		return Even, true
	}
	return 0, false
}

func (a Arrivals) words() string {
	if a == Even {
		return "evenly spaced arrivals"
	}
	return "Poisson arrivals"
}
