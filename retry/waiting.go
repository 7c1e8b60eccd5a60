package retry

import "fmt"

// WaitingConfig is what a [Waiting] goes by. The zero value is a fifth, and
// three in any case.
type WaitingConfig struct {
	// Share is how many of the requests that are in flight may be retries, from 0
	// to 1. Zero: [DefaultWaitingShare].
	Share float64
	// Least is how many may be in any case. Zero: [DefaultWaitingLeast].
	Least int
}

// Defaults of [WaitingConfig]: Envoy's, of its retry budget.
const (
	DefaultWaitingShare = 0.2
	DefaultWaitingLeast = 3
)

// Validate reports a fault and changes nothing.
func (c WaitingConfig) Validate() error {
	if !(c.Share >= 0 && c.Share <= 1) || c.Least < 0 {
		return fmt.Errorf("retry: Waiting: want a share from 0 to 1 and a least of 0 or more, have %v and %d", c.Share, c.Least)
	}
	return nil
}

// Waiting bounds the retries of a destination that are not over at the same
// time, those included that still wait for their backoff to end: what waits will
// be sent, all of it perhaps at once. A [Budget] bounds how many there are over
// time, and this how many there are. It is for retries of one's own: package client
// goes by a Budget.
//
// It is not safe for concurrent use.
type Waiting struct {
	share float64
	least int
	now   int
}

// NewWaiting returns one with no retries.
func NewWaiting(c WaitingConfig) *Waiting {
	w := &Waiting{share: c.Share, least: c.Least}
	if w.share == 0 {
		w.share = DefaultWaitingShare
	}
	if w.least == 0 {
		w.least = DefaultWaitingLeast
	}
	return w
}

// Begin reports whether there may be one more retry beside so many active
// requests. It then counts, from when it is decided on, until [Waiting.End].
func (w *Waiting) Begin(active int) bool {
	const rounding = 1e-9
	if w.now >= max(int(float64(w.share*float64(active))+rounding), w.least) {
		return false
	}
	w.now++
	return true
}

// End is a retry that is over, whether it was sent or not.
func (w *Waiting) End() {
	if w.now == 0 {
		panic("retry: End without a retry that had begun")
	}
	w.now--
}
