package limit

import (
	"time"
	"unsafe"
)

// Baseline is what a holds for the slot time of an unhindered request.
func (a *Auto) Baseline() time.Duration { return a.station.base }

// AutoSize is what an Auto takes.
const AutoSize = unsafe.Sizeof(Auto{})
