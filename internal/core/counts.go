package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/stats"
)

// ClassCounts is what happened to one criticality. They only grow:
// Arrived = Admitted + the sum of Refused + those that wait.
type ClassCounts struct {
	Arrived  uint64
	Admitted uint64
	Refused  [Reasons]uint64
	Ended    [Outcomes]uint64

	Good   uint64        // ended in success within the deadline
	Late   uint64        // ended in success after it
	Wasted time.Duration // slot time of what ended late, timed out or abandoned

	HighDepth    int
	WaitAdmitted stats.Histogram
	WaitRefused  stats.Histogram
}

// Counts is what the machine has done since it was made, without what the fast
// paths did since the last [Machine.Fold].
type Counts struct {
	Classes      [class.Count]ClassCounts // by lane
	Service      stats.Histogram          // slot time of what ended in success
	HighInFlight int
	HighDepth    int
	Rungs        [ladder.MaxTiers + 1]uint64 // admitted, by how many tiers were on for them; of a gate with tiers
}

// Tally is what the fast paths did since the last [Machine.Fold]. Work that
// ended there ended in success, in time, under the present limit, and had
// waited for nothing; every other ending goes through [Machine.Finish].
type Tally struct {
	Opened  [class.Count]uint64 // slots taken from the word, by lane
	Good    [class.Count]uint64 // given back to it
	Full    [class.Count]uint64 // refused with QueueFull, by the admission level
	Busy    [class.Count]uint64 // refused with Busy, by the level or because the word was full
	Held    time.Duration       // slot time of those given back
	Peak    int                 // the most in flight that any of them saw
	Samples stats.Histogram     // slot times of those given back

	Rungs     [ladder.MaxTiers + 1]uint64 // of those opened, as in Counts
	Exercised uint64                      // of those opened
}

// Fold takes over what the fast paths did. The caller collects the tally;
// whatever it missed is in the next one.
func (m *Machine) Fold(t *Tally) {
	for lane := range t.Opened {
		c := &m.counts.Classes[lane]
		c.Arrived += t.Opened[lane] + t.Full[lane] + t.Busy[lane]
		c.Admitted += t.Opened[lane]
		c.Refused[QueueFull] += t.Full[lane]
		c.Refused[Busy] += t.Busy[lane]
		c.Ended[Success] += t.Good[lane]
		c.Good += t.Good[lane]
		m.win.arrived += int(t.Opened[lane] + t.Full[lane] + t.Busy[lane])
		m.win.refused += int(t.Full[lane] + t.Busy[lane])
		m.win.good += int(t.Good[lane])
		m.win.completed += int(t.Good[lane])
	}
	for i, n := range t.Rungs {
		m.counts.Rungs[i] += n
	}
	m.exercised += t.Exercised
	m.win.held += t.Held
	m.win.peak = max(m.win.peak, t.Peak)
	m.counts.HighInFlight = max(m.counts.HighInFlight, t.Peak)
	m.win.uncontended.Merge(&t.Samples)
	m.service.recent.Merge(&t.Samples)
	m.counts.Service.Merge(&t.Samples)
}

// Counts returns the machine's counters. They are valid until the next call.
func (m *Machine) Counts() *Counts { return &m.counts }
