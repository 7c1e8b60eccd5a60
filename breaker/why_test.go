package breaker

import (
	"testing"
	"time"
)

// Why a breaker opened is known, with its figures, until it opens again.
func TestWhy(t *testing.T) {
	slow := Config{Slow: 100 * ms, Samples: 4, Open: time.Second}
	hang := []step{pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed), held(113*ms, time.Second, Open)}
	for name, tc := range map[string]struct {
		of    Config
		steps []step
		why   Why
		text  string
	}{
		"closed": {row, []step{pass(0, Closed), ends(0, 0, fail, Closed)}, Why{}, ""},
		"a row":  {row, opened(), Why{InRow, 2, 0}, "2 failures in a row"},
		"a share": {share, []step{
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed),
			ends(0, 0, good, Closed), ends(0, 1, fail, Closed), ends(0, 2, fail, Closed), ends(0, 3, fail, Open),
		}, Why{TooManyFail, 3, 4}, "3 of 4 failed"},
		"a hang":        {slow, hang, Why{TooManySlow, 4, 4}, "4 of 4 were slow"},
		"a probe fails": {row, opened(pass(time.Second, HalfOpen), ends(1100*ms, 2, fail, Open)), Why{ProbeFailed, 1, 1}, "a probe failed"},
		"a slow probe":  {slow, append(hang, pass(1200*ms, HalfOpen), ends(1301*ms, 4, good, Open)), Why{ProbeSlow, 1, 1}, "a probe was slow"},
		"a probe hangs": {slow, append(hang, pass(1200*ms, HalfOpen), held(1313*ms, time.Second, Open)), Why{ProbeSlow, 1, 1}, "a probe was slow"},
		"closed again":  {row, opened(pass(time.Second, HalfOpen), ends(time.Second, 2, good, Closed)), Why{InRow, 2, 0}, "2 failures in a row"},
	} {
		if why := timeline(t, name, tc.of, tc.steps).Status(0).Why; why != tc.why || why.String() != tc.text {
			t.Errorf("%s: %+v, %q", name, why, why)
		}
	}
}

func TestCauseNames(t *testing.T) {
	seen := map[string]bool{}
	for c := range Cause(len(causeNames) + 1) {
		if name := c.String(); seen[name] {
			t.Errorf("two causes are %q", name)
		} else {
			seen[name] = true
		}
	}
}
