package result

// Sum is how many there are of all reasons together.
func Sum(by map[string]int64) int64 {
	n := int64(0)
	for _, v := range by {
		n += v
	}
	return n
}

// Rate is so many of a whole run as a rate per second of the schedule that was
// played; 0 where nothing was.
func (r *Result) Rate(n int64) float64 {
	if r.Ran <= 0 {
		return 0
	}
	return float64(n) / r.Ran
}

// Share is so many as a part of the requests of the class that were offered; 0
// where none was.
func (c *Class) Share(n int64) float64 {
	if c.Offered == 0 {
		return 0
	}
	return float64(n) / float64(c.Offered)
}

// Served is how many attempts were good or late: throughput, as callers see it.
func (c *Class) Served() int64 { return c.AttemptsGood + c.AttemptsLate }

// Amplification is how many attempts there were for each request that was sent;
// 0 where none was.
func (c *Class) Amplification() float64 {
	if c.Sent == 0 {
		return 0
	}
	return float64(c.Attempts) / float64(c.Sent)
}
