package checkout

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// row is a line of the table: what came of one step, in its counted part where
// nothing else is said. Rates are per second.
type row struct {
	step
	offered   float64
	attempts  float64
	completed float64 // pages that were made, for whomever
	goodput   float64 // pages that reached a shopper in time
	refused   float64
	late      float64
	failed    float64
	p50, p99  time.Duration // of the pages that reached a shopper
	refusal   time.Duration // median time of a refusal; 0: there was none
	tiers     []string      // on for most of the time
	lost      int           // in the whole step: shoppers who got no page
	visitors  int           // of how many
	paid      int           // CRITICAL_PLUS that got theirs in the counted part
	payers    int           // of how many
}

// account makes the rows of a chapter. Readings stand before the first step, and
// twice for each.
func account(steps []step, times []time.Duration, classes []class.Criticality, records []openloop.Record, readings []reading) []row {
	rows := make([]row, len(steps))
	var begin time.Duration
	for i, s := range steps {
		r := &rows[i]
		r.step = s
		from, end := begin+s.settle, begin+s.length()
		counted := s.counted.Seconds()
		var tally [openloop.Outcomes]int
		var good []time.Duration
		reached := 0
		for j, at := range times {
			rec := records[j]
			if rec.Outcome == openloop.Good && rec.Ended >= from && rec.Ended < end {
				reached++
			}
			if at < begin || at >= end {
				continue
			}
			r.visitors++
			if rec.Outcome != openloop.Good {
				r.lost++
			}
			if at < from {
				continue
			}
			tally[rec.Outcome]++
			if classes[j] == class.CriticalPlus {
				r.payers++
			}
			if rec.Outcome == openloop.Good {
				good = append(good, rec.Latency)
				if classes[j] == class.CriticalPlus {
					r.paid++
				}
			}
		}
		all := 0
		for _, n := range tally {
			all += n
		}
		before, after := readings[2*i+1], readings[2*i+2]
		if counted > 0 {
			r.offered, r.goodput = float64(all)/counted, float64(reached)/counted
			r.refused, r.late = float64(tally[openloop.Refused])/counted, float64(tally[openloop.Late])/counted
			r.failed = float64(tally[openloop.Failed]+tally[openloop.Unsent]) / counted
			r.attempts = float64(after.sent) / counted
			r.completed = float64(after.pages-before.pages) / counted
		}
		r.p50, r.p99 = openloop.Quantile(good, 0.5), openloop.Quantile(good, 0.99)
		r.refusal = openloop.Quantile(after.refusals, 0.5)
		r.tiers = after.tiers
		begin = end
	}
	return rows
}
