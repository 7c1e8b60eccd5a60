package live

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPossible(t *testing.T) {
	type seconds = []float64
	for _, tt := range []struct {
		name     string
		offered  []seconds // by class
		capacity seconds
		want     seconds // of each class
	}{
		{"room for all", []seconds{{10, 10, 12}, {20, 20, 24}}, seconds{50, 50, 50}, seconds{22, 44}},
		{"the important first", []seconds{{10, 10, 10}, {60, 60, 60}, {30, 30, 30}}, seconds{50, 50, 50}, seconds{20, 80, 0}},
		{"a burst is served in the next second", []seconds{{80, 0, 0}}, seconds{50, 50, 50}, seconds{30}},
		{"and no later", []seconds{{180, 0, 0}}, seconds{50, 50, 50}, seconds{50}},
		{"nobody is served after the last", []seconds{{0, 80}}, seconds{50, 50}, seconds{50}},
		{"capacity that changes", []seconds{{40, 40, 40}}, seconds{50, 20, 50}, seconds{70}},
	} {
		if got := possible(tt.offered, tt.capacity); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestServableIsTheMost compares with an assignment of single requests to
// places, by augmenting paths.
func TestServableIsTheMost(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		n := 1 + rnd.IntN(5)
		capacity := make([]float64, n)
		for i := range capacity {
			capacity[i] = float64(rnd.IntN(5))
		}
		offered := make([][]float64, 2)
		for k := range offered {
			offered[k] = make([]float64, n)
			for i := range offered[k] {
				offered[k][i] = float64(rnd.IntN(5))
			}
		}
		first := sum(servable(offered[0], capacity))
		both := make([]float64, n)
		for i := range both {
			both[i] = offered[0][i] + offered[1][i]
		}
		all := sum(servable(both, capacity))
		if a, b := assigned(offered[:1], capacity), assigned(offered, capacity); first != float64(a) || all != float64(b) {
			t.Fatalf("%v of %v: %v and %v, want %d and %d", offered, capacity, first, all, a, b)
		}
	}
}

// assigned is how many requests find a place.
func assigned(offered [][]float64, capacity []float64) int {
	var due []int // the second of each request
	for _, class := range offered {
		for t, n := range class {
			for range int(n) {
				due = append(due, t)
			}
		}
	}
	var places []int // the second of each
	for t, n := range capacity {
		for range int(n) {
			places = append(places, t)
		}
	}
	holder := make([]int, len(places))
	for i := range holder {
		holder[i] = -1
	}
	var find func(r int, seen []bool) bool
	find = func(r int, seen []bool) bool {
		for p, t := range places {
			if late := t - due[r]; late < 0 || late > 1 || seen[p] {
				continue
			}
			seen[p] = true
			if holder[p] < 0 || find(holder[p], seen) {
				holder[p] = r
				return true
			}
		}
		return false
	}
	n := 0
	for r := range due {
		if find(r, make([]bool, len(places))) {
			n++
		}
	}
	return n
}

func TestRefusedWithRoom(t *testing.T) {
	for _, tt := range []struct{ offered, possible, refused, want float64 }{
		{100, 100, 7, 0.07},
		{100, 40, 60, 0},
		{100, 40, 65, 0.05},
		{100, 40, 20, 0},
		{0, 0, 0, 0},
	} {
		if got := withRoom(tt.offered, tt.possible, tt.refused); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
