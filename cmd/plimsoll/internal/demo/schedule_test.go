package demo

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

var testPhases = []phase{
	{name: "calm", load: 0.7, length: 20 * time.Second},
	{name: "overload", load: 2, length: 30 * time.Second},
	{name: "after", load: 0.7, length: 20 * time.Second},
}

func TestScheduleDependsOnItsArgumentsAlone(t *testing.T) {
	a, b := schedule(1, 460, testPhases), schedule(1, 460, testPhases)
	if !slices.Equal(a, b) {
		t.Error("the same arguments gave two schedules")
	}
	if slices.Equal(a, schedule(2, 460, testPhases)) {
		t.Error("two seeds gave the same schedule")
	}
}

func TestScheduleKeepsToItsPhases(t *testing.T) {
	arrivals := schedule(7, 460, testPhases)
	if !slices.IsSortedFunc(arrivals, func(a, b arrival) int { return int(a.at - b.at) }) {
		t.Error("not in order of time")
	}
	counts := make([]int, len(testPhases))
	for _, a := range arrivals {
		if begin, end := span(testPhases, a.phase); a.at < begin || a.at >= end {
			t.Fatalf("arrival at %s of phase %d is outside [%s, %s)", a.at, a.phase, begin, end)
		}
		counts[a.phase]++
	}
	for i, p := range testPhases {
		want := p.load * 460 * p.length.Seconds()
		// Four standard deviations of a Poisson count.
		if got := float64(counts[i]); math.Abs(got-want) > 4*math.Sqrt(want) {
			t.Errorf("phase %s: %v arrivals, want about %v", p.name, got, want)
		}
	}
}

func TestScheduleMixesTheClasses(t *testing.T) {
	arrivals := schedule(3, 460, testPhases)
	counts := map[class.Criticality]float64{}
	for _, a := range arrivals {
		counts[a.class]++
	}
	sum := 0.0
	for _, m := range mix {
		if got := counts[m.class] / float64(len(arrivals)); math.Abs(got-m.share) > 0.01 {
			t.Errorf("%s: share %.3f, want %.2f", m.class, got, m.share)
		}
		sum += counts[m.class]
	}
	if int(sum) != len(arrivals) {
		t.Errorf("%d arrivals of %d are of a class in the mix", int(sum), len(arrivals))
	}
}
