package wire

import (
	"math"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestGRPCTimeout(t *testing.T) {
	tests := []struct {
		remaining time.Duration
		want      string
	}{
		{0, "0n"},
		{-time.Second, "0n"},
		{math.MinInt64, "0n"},
		{1, "1n"},
		{99_999_999, "99999999n"},
		{100_000_000, "100000u"},
		{100_000_999, "100000u"}, // down: never more than is left
		{time.Second, "1000000u"},
		{30 * time.Second, "30000000u"},
		{100 * time.Second, "100000m"},
		{99_999_999 * time.Millisecond, "99999999m"},
		{100_000_000 * time.Millisecond, "100000S"},
		{100_000_000 * time.Second, "1666666M"},
		{class.Forever, "2562047H"},
	}
	for _, tt := range tests {
		if got := EncodeGRPCTimeout(tt.remaining); got != tt.want {
			t.Errorf("EncodeGRPCTimeout(%d) = %s, want %s", tt.remaining, got, tt.want)
		}
	}
	decode := []struct {
		in   string
		want time.Duration
		ok   bool
	}{
		{"0n", 0, true},
		{"1H", time.Hour, true},
		{"2M", 2 * time.Minute, true},
		{"3S", 3 * time.Second, true},
		{"4m", 4 * time.Millisecond, true},
		{"5u", 5 * time.Microsecond, true},
		{"6n", 6, true},
		{"-1S", 0, true},
		{"99999999H", class.Forever, true},
		{"99999999S", 99_999_999 * time.Second, true},
		{"123456789n", 0, false},
		{"", 0, false},
		{"n", 0, false},
		{"1", 0, false},
		{"1s", 0, false},
		{" 1S", 0, false},
	}
	for _, tt := range decode {
		if got, ok := DecodeGRPCTimeout(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("DecodeGRPCTimeout(%q) = %v, %v; want %v, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

// FuzzGRPCTimeout encodes any duration and decodes any text.
func FuzzGRPCTimeout(f *testing.F) {
	f.Add(int64(30*time.Second), "30S")
	f.Add(int64(math.MaxInt64), "99999999H")
	f.Add(int64(-1), "-0n")
	f.Fuzz(func(t *testing.T, n int64, s string) {
		d := max(time.Duration(n), 0)
		text := EncodeGRPCTimeout(time.Duration(n))
		back, ok := DecodeGRPCTimeout(text)
		if !ok || back > d || len(text) > 9 {
			t.Fatalf("%d is encoded as %s and decoded as %d, %v", n, text, back, ok)
		}
		if lost := d - back; lost > 0 && lost > d/10_000 {
			t.Fatalf("%d is encoded as %s and loses %d: the unit is not the finest that fits", n, text, lost)
		}
		got, ok := DecodeGRPCTimeout(s)
		if got < 0 || !ok && got != 0 {
			t.Fatalf("%q is decoded as %d, %v", s, got, ok)
		}
		if ok && got < class.Forever {
			if again, _ := DecodeGRPCTimeout(EncodeGRPCTimeout(got)); again > got {
				t.Fatalf("%q gains time on the way: %d, then %d", s, got, again)
			}
		}
	})
}
