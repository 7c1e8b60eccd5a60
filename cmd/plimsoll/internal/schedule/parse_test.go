package schedule

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		rate     string
		length   time.Duration
		want     string
		expected float64
	}{
		{"500/s", 10 * time.Second, "500/s for 10s", 5000},
		{"500", 10 * time.Second, "500/s for 10s", 5000},
		{" 500 / s ", 10 * time.Second, "500/s for 10s", 5000},
		{"30000/m", time.Second, "500/s for 1s", 500},
		{"3.6e3/h", 0, "1/s for 30s", 30},
		{"ramp 100/s..2000/s over 30s", 0, "100/s rising to 2000/s within 30s", 31500},
		{"ramp 2000 .. 100/s", 10 * time.Second, "2000/s falling to 100/s within 10s", 10500},
		{"ramp 60..120/m over 10s", 20 * time.Second, "1/s rising to 2/s within 10s, then 2/s for 10s", 35},
		{"ramp 0..10/s over 10s", 0, "nothing rising to 10/s within 10s", 50},
		{"step 100/s:10s, 500/s:10s", 0, "100/s for 10s, then 500/s for 10s", 6000},
		{"step 100/s:10s 0..100/s:10s", 30 * time.Second, "100/s for 10s, then nothing rising to 100/s within 10s, then 100/s for 10s", 2500},
		{"step 100/s:1s, 0:1s, 100/s : 1s,", 0, "100/s for 1s, then nothing for 1s, then 100/s for 1s", 200},
		{"spike 100/s..1000/s from 10s for 5s", time.Minute, "100/s for 10s, then 1000/s for 5s, then 100/s for 45s", 10500},
		{"spike 100/s..1000/s for 5s from 10s", 0, "100/s for 10s, then 1000/s for 5s, then 100/s for 15s", 7500},
		{"on-off 50..500/s on 2s off 3s", 11 * time.Second, "500/s for 2s and 50/s for 3s in turn, for 11s", 2800},
		{"on-off 500/s on 2s off 3s", 11 * time.Second, "500/s for 2s and nothing for 3s in turn, for 11s", 2500},
		{"sine 100/s..900/s every 60s", 2 * time.Minute, "100/s swinging to 900/s and back every 1m0s, for 2m0s", 60000},
	} {
		s, err := Parse(tt.rate, "constant", tt.length)
		if err != nil {
			t.Errorf("%q: %v", tt.rate, err)
			continue
		}
		if got := s.String(); got != tt.want+", evenly spaced arrivals" {
			t.Errorf("%q: %q, want %q", tt.rate, got, tt.want)
		}
		if got := s.Expected(); math.Abs(got-tt.expected) > 1e-6*tt.expected {
			t.Errorf("%q: %v expected, want %v", tt.rate, got, tt.expected)
		}
		if tt.length != 0 && s.Length() != tt.length {
			t.Errorf("%q: %v long, want %v", tt.rate, s.Length(), tt.length)
		}
		if got := count(s, 1); float64(got) != tt.expected {
			t.Errorf("%q: %d arrivals, want %v", tt.rate, got, tt.expected)
		}
	}
}

func count(s *Schedule, seed uint64) int {
	n := 0
	for range s.Times(seed) {
		n++
	}
	return n
}

func TestParseTellsEveryFault(t *testing.T) {
	for _, tt := range []struct {
		rate, arrivals string
		length         time.Duration
		want           []string // a part of each fault, in order
	}{
		{"", "", 0, []string{"rate: want a rate such as 500/s"}},
		{"fast", "", 0, []string{"rate: want 500/s, 'ramp"}},
		{"0", "", 0, []string{"rate: want a rate above 0"}},
		{"-5/s", "", 0, []string{"rate: want a rate from 0 to 1000000/s"}},
		{"NaN", "", 0, []string{"rate: want 500/s"}},
		{"0x10", "", 0, []string{"rate: want a rate such as"}},
		{"1e400/s", "", 0, []string{"rate: want a rate from 0"}},
		{"1e7/s", "", 0, []string{"rate: want a rate from 0"}},
		{"500/ms", "", 0, []string{"rate: want a rate such as"}},
		{"5 6", "", 0, []string{"rate: want nothing after"}},
		{"1e-300/s", "", 0, []string{"at least one request"}},
		{"1/h", "", 0, []string{"at least one request"}},
		{"500/s", "uniform", -time.Second, []string{"arrivals: want poisson", "duration: want a time above 0"}},
		{"500/s", "", 30 * 24 * time.Hour, []string{"duration: want a time above 0 and of at most 168h0m0s"}},
		{"ramp", "", 0, []string{"want rates after ramp", "want over and a time"}},
		{"ramp 5/s over 30", "", 0, []string{"want two rates", "over: want a time with a unit, such as 10s"}},
		{"ramp 5..x over 30s for 5s", "", 0, []string{"rate: want a rate such as", "want over after the rates of ramp"}},
		{"ramp 1/s..2/s over 30s", "", 10 * time.Second, []string{"duration: want at least the 30s that the ramp takes"}},
		{"ramp 1/s..2/s over 9999999h", "", 0, []string{"over: want a time"}},
		{"ramp 0/s..0/s over 9s", "", 0, []string{"at least one request"}},
		{"step 5/s", "", 0, []string{"want steps such as"}},
		{"step", "", 0, []string{"want steps such as"}},
		{"step 5/s:1s, x:1s, 6/s:1", "", 0, []string{`have "x"`, "step 6/s: want a time with a unit"}},
		{"step 5/s:167h, 5/s:2h", "", 0, []string{"want a time of at most 168h0m0s in all"}},
		{"step " + strings.Repeat("1/s:1s ", MaxSteps+1), "", 0, []string{"want at most 1000 steps"}},
		{"spike 5/s..6/s from 10s", "", 0, []string{"want for and a time"}},
		{"spike 5/s..6/s from 10s from 5s for", "", 0, []string{"want from once", "want a time after for"}},
		{"spike 5/s..6/s from 28s for 5s", "", 0, []string{"duration: want at least the 33s"}},
		{"on-off 0/s on 1s off 1s", "", 0, []string{"want a rate above 0 while on"}},
		{"on-off 5/s on -1s off 1s", "fixed", 0, []string{"arrivals: ", "on: want a time above 0"}},
		{"sine 5/s every 1s", "", 0, []string{"want two rates"}},
		{"sine 0..0 every 1s", "", 0, []string{"want a rate above 0 at one end"}},
	} {
		_, err := Parse(tt.rate, tt.arrivals, tt.length)
		got, ok := strict.FaultsOf(err)
		if !ok || len(got) != len(tt.want) {
			t.Errorf("%.40q: %v, want %q", tt.rate, err, tt.want)
			continue
		}
		for i, f := range got {
			if !strings.Contains(f.String(), tt.want[i]) {
				t.Errorf("%.40q: %v, want %q", tt.rate, f, tt.want[i])
			}
		}
	}
}

func TestConstant(t *testing.T) {
	s, err := Parse("2/s", "constant", 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var got []time.Duration
	for a := range s.Times(0) {
		got = append(got, a.Due)
	}
	const ms = time.Millisecond
	if want := []time.Duration{0, 500 * ms, 1000 * ms, 1500 * ms}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLastPeak(t *testing.T) {
	for _, tt := range []struct {
		rate   string
		length time.Duration
		want   time.Duration // 0: none
	}{
		{"500/s", 0, 0},
		{"ramp 10/s..20/s", time.Second, 0},
		{"ramp 20/s..10/s over 5s", 10 * time.Second, 5 * time.Second},
		{"ramp 20/s..10/s over 5s", 0, 0}, // nobody after it
		{"spike 100/s..1000/s from 10s for 5s", time.Minute, 15 * time.Second},
		{"spike 100/s..1000/s from 10s for 5s", 15 * time.Second, 0},
		{"spike 1000/s..100/s from 10s for 5s", time.Minute, 0},
		{"spike 1000/s..1100/s from 10s for 5s", time.Minute, 0}, // no overload
		{"step 1000/s:5s, 100/s:5s, 90/s:5s", 0, 5 * time.Second},
		{"step 1000/s:5s, 100/s:5s, 900/s:5s, 100/s:5s", 0, 15 * time.Second},
		{"step 100/s:5s, 100..900/s:5s, 900/s:5s, 900..500/s:5s, 500..100/s:2s, 100/s:9s", 0, 22 * time.Second},
		{"step 100/s:5s, 900/s:5s, 400..100/s:5s, 100/s:9s", 0, 15 * time.Second},
		{"step 900/s:5s, 200..100/s:5s, 400..200/s:5s, 100/s:9s", 0, 10 * time.Second},
		{"step 900/s:5s, 0:5s", 0, 0},
		{"step 900/s:5s, 0:5s, 9/s:5s", 0, 5 * time.Second},
		{"on-off 50..500/s on 2s off 3s", 10 * time.Second, 7 * time.Second},
		{"on-off 50..500/s on 2s off 3s", 11 * time.Second, 0},
		{"on-off 50..500/s on 2s off 3s", 13 * time.Second, 12 * time.Second},
		{"on-off 500..50/s on 2s off 3s", 13 * time.Second, 0},
		{"on-off 500/s on 2s off 3s", 13 * time.Second, 0}, // nobody after it
		{"sine 5..10/s every 1s", 0, 0},
	} {
		s, err := Parse(tt.rate, "", tt.length)
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := s.LastPeak(); end != tt.want || ok != (tt.want > 0) {
			t.Errorf("%q for %v: %v, %v; want %v", tt.rate, tt.length, end, ok, tt.want)
		}
	}
}
