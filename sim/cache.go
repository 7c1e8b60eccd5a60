package sim

// Cache is what a station has to fill before it is at full speed. It is cold
// at the beginning and after a [Restart] or a [ColdCache].
type Cache struct {
	// Warm is how many requests fill it, 1 or more.
	Warm int
	// Slowdown is by what factor a job takes longer that begins while the
	// cache is cold, 1 or more.
	Slowdown float64
	// Gradual has the factor fall to 1 in a straight line while the cache
	// fills, instead of at once when it is full.
	Gradual bool
}

func (c *Cache) validate(where string, f *faults) {
	f.want(c.Warm >= 1, where+".Warm", "want 1 request or more, have %d", c.Warm)
	f.want(c.Slowdown >= 1 && c.Slowdown <= 1e6, where+".Slowdown", "want a factor from 1 to 1e6, have %v", c.Slowdown)
}

// factor is by what jobs take longer after so many were served.
func (c *Cache) factor(served int) float64 {
	switch {
	case served >= c.Warm:
		return 1
	case !c.Gradual:
		return c.Slowdown
	}
	return 1 + float64(float64(c.Slowdown-1)*float64(c.Warm-served))/float64(c.Warm)
}

// ColdCache forgets what a station's [Cache] holds: it has to be filled again.
type ColdCache struct{}

func (ColdCache) apply(_ *engine, s *station) { s.served = 0 }

func (ColdCache) validate() error { return nil }
