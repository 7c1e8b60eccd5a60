package core

import (
	"math"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
)

// TestExtremes: values at the ends of their types neither overflow nor panic.
func TestExtremes(t *testing.T) {
	for _, wait := range []time.Duration{1, time.Hour, math.MaxInt64} {
		for _, service := range []time.Duration{0, 1, time.Hour, math.MaxInt64} {
			for _, queue := range []int{1, math.MaxInt32} {
				for _, n := range []int{1, 3, limit.Max} {
					c := Resolve(Config{Limit: limit.NewFixed(n), MaxWait: wait, MaxQueue: queue, ServiceTime: service})
					m := New(c)
					for i := range 5 {
						w := &Waiter{}
						w.Item.Rank, w.Item.Deadline = class.RankOf(class.Critical, 0), Never
						d, _ := m.Arrive(time.Duration(i), w)
						if d.Verdict == Refused && d.Reason != QueueFull || d.RetryAfter < 0 {
							t.Errorf("wait %v, service %v, queue %d, limit %d: %+v", wait, service, queue, n, d)
						}
					}
					if s := m.Status(5); s.Places < 1 || s.Places > queue || s.PredictedDelay < 0 || m.Next() < 0 {
						t.Errorf("wait %v, service %v, queue %d, limit %d: %+v, Next %v", wait, service, queue, n, s, m.Next())
					}
				}
			}
		}
	}
}
