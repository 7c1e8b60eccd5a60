package egress

import (
	"net/http"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
	"github.com/plimsoll-go/plimsoll/retry"
)

// What a service drops alone, whatever it found in it, is no reason to keep
// others from it.
func TestWhatIsDroppedOpensNoBreaker(t *testing.T) {
	const broken = config.Troubles(1) << config.Broken
	k := &call{Caller: &Caller{causes: broken, retries: config.Retries{Causes: broken}}}
	for dropped, want := range map[bool]breaker.Verdict{false: breaker.Failure, true: breaker.Ignored} {
		a := k.fault(&upstream.Error{Kind: upstream.Broken, Dropped: dropped}, 1, false, time.Second)
		if a.Verdict != want || a.Pushback == retry.NoRetry {
			t.Errorf("dropped %t: %+v, want %v", dropped, a, want)
		}
	}
}

// A throttle goes by what fails as well, and there need be no breaker to say what
// that is. Callers in a hurry are none of it: one who waits for 10 ms could
// otherwise hold back all others of its criticality.
func TestFailuresWithoutABreaker(t *testing.T) {
	c, err := New(nil, config.Upstream{Throttle: config.Throttle{K: 2, Over: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	k := &call{Caller: c}
	over := &upstream.Error{Kind: upstream.OverBudget}
	for what, tt := range map[string]struct{ have, want breaker.Verdict }{
		"no connection":        {k.fault(&upstream.Error{Kind: upstream.Connect}, 0, false, 0).Verdict, breaker.Failure},
		"a broken answer":      {k.fault(&upstream.Error{Kind: upstream.Broken}, 1, false, 0).Verdict, breaker.Failure},
		"a caller in a hurry":  {k.fault(over, 1, false, 10*time.Millisecond).Verdict, breaker.Ignored},
		"a caller with a time": {k.fault(over, 1, false, time.Second).Verdict, breaker.Failure},
	} {
		if tt.have != tt.want {
			t.Errorf("%s: %v, want %v", what, tt.have, tt.want)
		}
	}
	for status, want := range map[int]breaker.Verdict{500: breaker.Success, 502: breaker.Failure, 503: breaker.Failure, 504: breaker.Failure} {
		if a, _ := k.judge(&http.Response{StatusCode: status, Header: http.Header{}}, time.Now()); a.Verdict != want {
			t.Errorf("%d: %v, want %v", status, a.Verdict, want)
		}
	}
}
