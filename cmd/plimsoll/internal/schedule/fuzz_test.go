package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

func FuzzParse(f *testing.F) {
	for _, rate := range shapes {
		f.Add(rate, "poisson", int64(24*time.Second))
	}
	f.Add("step 1e-9/s:1ns,1e6/s:168h", "constant", int64(0))
	f.Add("on-off 1e6/s on 1ns off 168h", "constant", int64(MaxLength))
	f.Add("ramp 1e-300..1/s over 1ns", "", int64(1))
	f.Add("5e-324/s..", "", int64(-1))
	f.Fuzz(func(t *testing.T, rate, arrivals string, length int64) {
		s, err := Parse(rate, arrivals, time.Duration(length))
		if err != nil {
			faults, ok := strict.FaultsOf(err)
			if !ok || len(faults) == 0 {
				t.Fatalf("%v", err)
			}
			for _, one := range faults {
				if !strings.Contains(one.Want, "want") {
					t.Errorf("%v", one)
				}
			}
			return
		}
		if s.Length() <= 0 || s.Length() > MaxLength || !(s.Expected() >= 1) || s.Expected() > MaxRate*MaxLength.Seconds()*1.001 || s.String() == "" {
			t.Fatalf("%v, %v", s, s.Expected())
		}
		if end, ok := s.LastPeak(); ok && (end <= 0 || end >= s.Length()) {
			t.Errorf("a peak that ends at %v of %v", end, s.Length())
		}
		n, last := 0, time.Duration(0)
		for a := range s.Times(1) {
			if a.Due < last || a.Due >= s.Length() {
				t.Fatalf("%v after %v of %v", a.Due, last, s.Length())
			}
			if r := s.At(a.Due); !(r >= 0) || r > MaxRate*1.001 {
				t.Fatalf("%v/s at %v", r, a.Due)
			}
			last = a.Due
			if n++; n == 1000 {
				break
			}
		}
		if arrivals == "constant" && n < 1000 && (float64(n) < s.Expected()-1e-6 || float64(n) >= s.Expected()+1) {
			t.Errorf("%d of %v", n, s.Expected())
		}
	})
}
