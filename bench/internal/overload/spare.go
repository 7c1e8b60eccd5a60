package overload

import (
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// spare returns what says how many processors this process has used, together
// with those that nobody has used: how many it could have had since. False: the
// system does not tell.
func spare() func() (processors float64, ok bool) {
	start := time.Now()
	unused, _ := meter.Idle()
	before := meter.CPU() + unused
	return func() (float64, bool) {
		unused, ok := meter.Idle()
		return (meter.CPU() + unused - before).Seconds() / time.Since(start).Seconds(), ok
	}
}
