package class

import (
	"strconv"
	"testing"
)

// TestLevelIsStable pins the hash: hops of different versions must agree.
func TestLevelIsStable(t *testing.T) {
	tests := []struct {
		key  string
		salt uint64
		want Level
	}{
		{"", 0, 0},
		{"", 7, 0},
		{"a", 0, 2},
		{"user-1", 0, 98},
		{"user-1", Salt(0), 25},
		{"user-1", Salt(490_000), 74},
		{"user-2", Salt(490_000), 59},
		{"ü", 1<<64 - 1, 69},
	}
	for _, tt := range tests {
		if got := LevelOf(tt.key, tt.salt); got != tt.want {
			t.Errorf("LevelOf(%q, %#x) = %d, want %d", tt.key, tt.salt, got, tt.want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { levelSink = LevelOf("user-1", 7) }); n != 0 {
		t.Errorf("LevelOf allocates %v times", n)
	}
}

var levelSink Level

// TestLevelIsEven uses keys that differ in a digit or two, as real ones do, and
// checks the spread within an hour and the independence of two hours.
func TestLevelIsEven(t *testing.T) {
	const perLevel = 1000
	var first [MaxLevel + 1]float64
	var kept, both float64
	for i := range perLevel * int(MaxLevel) {
		key := "user-" + strconv.Itoa(i)
		l, next := LevelOf(key, Salt(1)), LevelOf(key, Salt(2))
		first[l]++
		if l > MaxLevel/2 {
			kept++
			if next > MaxLevel/2 {
				both++
			}
		}
	}
	chi := 0.0
	for _, n := range first[1:] {
		chi += (n - perLevel) * (n - perLevel) / perLevel
	}
	// 126 degrees of freedom: 187 is passed by chance once in 3,000 hashes.
	if first[0] != 0 || chi > 187 {
		t.Errorf("%v keys without a level and chi squared %.0f, want 0 and at most 187", first[0], chi)
	}
	if share := both / kept; share < 0.48 || share > 0.53 {
		t.Errorf("%.3f of the upper half is in it in the next hour too, want about 0.5", share)
	}
}

func TestSalt(t *testing.T) {
	seen := map[uint64]int64{}
	for hour := int64(-1000); hour < 1000; hour++ {
		s := Salt(hour)
		if other, ok := seen[s]; ok {
			t.Fatalf("hours %d and %d have one salt", hour, other)
		}
		seen[s] = hour
	}
}
