package limit

import "time"

// Baseline is what a holds for the slot time of an unhindered request.
func (a *Auto) Baseline() time.Duration { return a.station.base }
