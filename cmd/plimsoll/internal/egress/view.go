package egress

import (
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// View is what it looks like now.
func (c *Caller) View() *telemetry.Calls {
	s := c.client.Status()
	out := &telemetry.Calls{Requests: s.Requests, Attempts: s.Attempts, Ended: map[string]uint64{}}
	for why := range client.Reason(client.NumReasons) {
		out.Ended[why.String()] = s.Refused[why]
	}
	if c.retries.Attempts > 0 {
		out.Balance = &s.Balance
	}
	if !c.Breaks() {
		return out
	}
	out.Breakers = map[string]telemetry.Breaker{}
	for lane := range s.Breakers {
		b := s.Breakers[lane]
		out.Breakers[class.FromLane(lane).String()] = telemetry.Breaker{
			State: b.State.String(), Age: b.For.Seconds(), Probes: b.Probes, Opened: b.Opened, Stale: b.Stale, Why: b.Why.String(),
		}
	}
	return out
}

// Breakers are what the breakers look like now, by lane; there are some if
// [Caller.Breaks].
func (c *Caller) Breakers() [class.Count]breaker.Status { return c.client.Status().Breakers }
