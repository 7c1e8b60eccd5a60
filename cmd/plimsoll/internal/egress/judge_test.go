package egress

import (
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
	k := &call{Caller: &Caller{breaker: config.Breaker{Causes: broken}, retries: config.Retries{Causes: broken}}}
	for dropped, want := range map[bool]breaker.Verdict{false: breaker.Failure, true: breaker.Ignored} {
		a := k.fault(&upstream.Error{Kind: upstream.Broken, Dropped: dropped}, 1, false, time.Second)
		if a.Verdict != want || a.Pushback == retry.NoRetry {
			t.Errorf("dropped %t: %+v, want %v", dropped, a, want)
		}
	}
}
