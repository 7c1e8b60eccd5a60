//go:build !linux

package openloop

import "time"

// Alarm wakes the process at a time. Here it does nothing: Go's own timers have
// to do.
type Alarm struct{}

// NewAlarm returns one that is not set. It has to be closed.
func NewAlarm() (*Alarm, error) { return &Alarm{}, nil }

// In has the process wake up after d, above 0; what was set before is forgotten.
func (*Alarm) In(time.Duration) {}

// Close ends it.
func (*Alarm) Close() error { return nil }
