package breaker

import "time"

// rampFloor is the share that passes at the foot of the ramp.
const rampFloor = 0.1

// climb lets a share of attempts pass that rises with time, spread evenly: a
// destination that has just come back, with cold caches and all its callers
// waiting, would not survive what they have saved up. Each attempt that asks
// adds its share to the credit, and a whole one pays for a passage.
func (b *Breaker) climb() (wait time.Duration, ok bool) {
	up := b.now - b.since
	if up >= b.config.Ramp {
		b.ramping = false
		return 0, true
	}
	b.credit += rampFloor + float64((1-rampFloor)*(up.Seconds()/b.config.Ramp.Seconds()))
	if b.credit >= 1 {
		b.credit--
		return 0, true
	}
	return max(b.config.Ramp/10, 1), false
}
