package mix

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Tenants are those for whom requests of a class are made. Names lists them, the
// first most often with a Skew above 0 (Zipf's law: the nth is asked for 1/n^Skew
// as often as the first; Zipf, "Human Behavior and the Principle of Least Effort",
// 1949). Several classes may have the same.
type Tenants struct {
	Names []string
	Skew  float64 // 0: all alike

	// upTo is what the first of them have of the sum of all; nil: all alike.
	upTo []float64
}

// mostTenants bounds the names of a class.
const mostTenants = 100_000

// numbered are count names: a prefix with a number from 1.
func numbered(prefix string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i+1)
	}
	return names
}

// prepare makes drawing cheap.
func (t *Tenants) prepare() {
	if t.Skew == 0 || len(t.upTo) == len(t.Names) {
		return
	}
	t.upTo = make([]float64, len(t.Names))
	sum := 0.0
	for i := range t.upTo {
		sum += math.Pow(float64(i+1), -t.Skew)
		t.upTo[i] = sum
	}
}

// draw picks one.
func (t *Tenants) draw(rng *rand.Rand) string {
	if t.upTo == nil {
		return t.Names[rng.IntN(len(t.Names))]
	}
	return t.Names[pick(t.upTo, rng)]
}

// pick draws the index of one of several, by running sums of their weights.
func pick(upTo []float64, rng *rand.Rand) int {
	x := rng.Float64() * upTo[len(upTo)-1]
	i, found := slices.BinarySearch(upTo, x)
	if found { // the place of a sum begins the next
		i++
	}
	return min(i, len(upTo)-1)
}
