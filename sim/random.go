package sim

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
)

// stream is the random numbers of one component. Every component has its own,
// made of the seed and its name, so that a policy that asks for more of one
// kind leaves the others as they were: two policies meet the same arrivals
// with the same needs (common random numbers).
func stream(seed uint64, component string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(component)) // never fails
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// exponential draws with mean 1, by inversion: rand.ExpFloat64 rests on
// package math, see ln.
func exponential(r *rand.Rand) float64 { return -ln(1 - r.Float64()) }

// normal draws with mean 0 and deviation 1 (Marsaglia's polar method).
func normal(r *rand.Rand) float64 {
	for {
		u, v := float64(2*r.Float64())-1, float64(2*r.Float64())-1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			return float64(u * math.Sqrt(float64(float64(-2*ln(s))/s)))
		}
	}
}

// longest is the end of simulated time: what is drawn beyond it is cut, so
// that sums stay far from overflow.
const longest = 10 * 365 * 24 * time.Hour

// nanoseconds rounds a duration in nanoseconds, in 0..longest.
func nanoseconds(f float64) time.Duration {
	switch {
	case !(f > 0):
		return 0
	case f > float64(longest):
		return longest
	}
	return time.Duration(f + 0.5)
}

// scaled is d times f, rounded.
func scaled(d time.Duration, f float64) time.Duration {
	return nanoseconds(float64(float64(d) * f))
}

// per is how long n events of the given rate a second take.
func per(n, rate float64) time.Duration {
	return nanoseconds(float64(n*float64(time.Second)) / rate)
}

// pick draws one of n. Rand.IntN takes another way where an int has 32 bits.
func pick(r *rand.Rand, n int) int { return int(float64(r.Float64() * float64(n))) }
