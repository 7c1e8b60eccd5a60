package class

import (
	"math"
	"math/big"
	"testing"
	"time"
)

const ms = time.Millisecond

func TestLeft(t *testing.T) {
	const lowest = time.Duration(math.MinInt64)
	tests := []struct {
		name                       string
		remaining, elapsed, margin time.Duration
		want                       time.Duration
	}{
		{"the rest", 100 * ms, 30 * ms, 5 * ms, 65 * ms},
		{"nothing passed", 100 * ms, 0, 0, 100 * ms},
		{"all passed", 100 * ms, 100 * ms, 0, 0},
		{"more than all", 100 * ms, time.Hour, 0, 0},
		{"the margin takes it", 100 * ms, 98 * ms, 5 * ms, 0},
		{"a clock that ran backwards gives no time", 100 * ms, -50 * ms, 0, 100 * ms},
		{"a negative margin gives no time", 100 * ms, 0, -50 * ms, 100 * ms},
		{"expired stays expired", 0, -time.Hour, -time.Hour, 0},
		{"negative is expired", lowest, 0, 0, 0},
		{"no overflow", lowest, Forever, Forever, 0},
		{"no overflow either", Forever - 1, lowest, lowest, Forever - 1},
		{"no deadline", Forever, Forever, Forever, Forever},
	}
	for _, tt := range tests {
		if got := Left(tt.remaining, tt.elapsed, tt.margin); got != tt.want {
			t.Errorf("%s: Left(%d, %d, %d) = %d, want %d", tt.name, tt.remaining, tt.elapsed, tt.margin, got, tt.want)
		}
	}
}

// edges are where 64 bits wrap.
var edges = []time.Duration{
	math.MinInt64, math.MinInt64 + 1, -time.Hour, -1, 0, 1, ms, time.Hour,
	math.MaxInt64 / 2, math.MaxInt64/2 + 1, math.MaxInt64 - 1, math.MaxInt64,
}

// TestAtNeverWraps compares with integers that cannot overflow.
func TestAtNeverWraps(t *testing.T) {
	for _, now := range edges {
		for _, remaining := range edges {
			sum := new(big.Int).Add(big.NewInt(int64(now)), big.NewInt(max(int64(remaining), 0)))
			want := Forever
			if sum.IsInt64() && remaining != Forever {
				want = time.Duration(sum.Int64())
			}
			got := At(now, remaining)
			if got != want {
				t.Errorf("At(%d, %d) = %d, want %d", now, remaining, got, want)
			}
			if got < now {
				t.Errorf("At(%d, %d) = %d is in the past", now, remaining, got)
			}
		}
	}
}

func TestUntilNeverWraps(t *testing.T) {
	for _, now := range edges {
		for _, at := range edges {
			diff := new(big.Int).Sub(big.NewInt(int64(at)), big.NewInt(int64(now)))
			want := Forever
			switch {
			case at == Forever:
			case diff.Sign() <= 0:
				want = 0
			case diff.IsInt64():
				want = time.Duration(diff.Int64())
			}
			if got := Until(now, at); got != want {
				t.Errorf("Until(%d, %d) = %d, want %d", now, at, got, want)
			}
		}
	}
	if got := Until(5*ms, At(5*ms, 70*ms)); got != 70*ms {
		t.Errorf("Until of At: %v, want 70ms", got)
	}
}

func TestClamp(t *testing.T) {
	tests := []struct{ remaining, most, want time.Duration }{
		{100 * ms, 30 * ms, 30 * ms},
		{10 * ms, 30 * ms, 10 * ms},
		{-1, 30 * ms, 0},
		{Forever, 30 * ms, 30 * ms},
		{Forever, 0, Forever},
		{100 * ms, -1, 100 * ms},
	}
	for _, tt := range tests {
		if got := Clamp(tt.remaining, tt.most); got != tt.want {
			t.Errorf("Clamp(%v, %v) = %v, want %v", tt.remaining, tt.most, got, tt.want)
		}
	}
}

func TestUnits(t *testing.T) {
	tests := []struct {
		n    int64
		unit time.Duration
		want time.Duration
	}{
		{3, ms, 3 * ms},
		{0, ms, 0},
		{-1, ms, 0},
		{math.MinInt64, time.Hour, 0},
		{math.MaxInt64, 1, Forever},
		{math.MaxInt64, ms, Forever},
		{99_999_999, time.Hour, Forever},
		{2_562_047, time.Hour, 2_562_047 * time.Hour},
		{2_562_048, time.Hour, Forever},
	}
	for _, tt := range tests {
		if got := Units(tt.n, tt.unit); got != tt.want {
			t.Errorf("Units(%d, %v) = %v, want %v", tt.n, tt.unit, got, tt.want)
		}
	}
}
