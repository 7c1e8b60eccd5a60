package plimsoll

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestRefusalText(t *testing.T) {
	for _, tt := range []struct {
		refusal Refusal
		want    string
	}{
		{Refusal{Gate: "shop", Criticality: class.Sheddable, Reason: Busy}, "plimsoll: shop refused SHEDDABLE work: busy"},
		{Refusal{Gate: "shop", Criticality: class.Critical, Reason: QueueFull, RetryAfter: 1500 * time.Microsecond},
			"plimsoll: shop refused CRITICAL work: queue_full, try again in 2ms"},
		{Refusal{Gate: "shop", Criticality: class.Critical, Reason: Hopeless, Late: 41 * time.Millisecond},
			"plimsoll: shop refused CRITICAL work: hopeless, would finish 41ms late"},
		{Refusal{Gate: "shop", Criticality: class.Critical, Reason: Expired, Late: time.Nanosecond}, // just at its end
			"plimsoll: shop refused CRITICAL work: expired"},
	} {
		if have := tt.refusal.Error(); have != tt.want {
			t.Errorf("have %q, want %q", have, tt.want)
		}
	}
}
