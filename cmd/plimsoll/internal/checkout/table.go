package checkout

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// slack is the generator's lateness above which the story is called doubtful.
const slack = 100 * time.Millisecond

// print writes the story for people.
func (r result) print(w io.Writer) {
	fmt.Fprintf(w, "\nThe checkout does %.0f whole pages a second, %.0f without %s, and %.0f of the cheapest.\n",
		r.whole, r.first, tiers[0].name, r.cheapest)
	fmt.Fprintf(w, "\n%-7s %8s %9s %9s %9s %9s %9s %7s %7s %8s  %s\n",
		"per s", "offered", "attempts", "completed", "goodput", "refused", "late", "p50", "p99", "refusal", "without")
	for _, chapter := range []struct {
		name string
		rows []row
	}{{"before", r.before}, {"after", r.after}} {
		for _, s := range chapter.rows {
			if s.counted > 0 {
				s.print(w, chapter.name)
			}
		}
	}
	fmt.Fprintf(w, "\nAfter the overload: before, %s; after, %s.\n", r.beforeRecovered, r.afterRecovered)
	fmt.Fprintf(w, "While pricing hangs for the checkout: of its other callers %.0f %% are served before, %.0f %% after.\n",
		100*r.quotes.before, 100*r.quotes.after)
	for _, chapter := range []struct {
		name string
		slip time.Duration
	}{{"before", r.beforeSlip}, {"after", r.afterSlip}} {
		if chapter.slip > slack {
			fmt.Fprintf(w, "\nDoubtful: %s: the generator itself was %s late (99th percentile); this machine is too busy for the load.\n",
				chapter.name, chapter.slip.Round(time.Millisecond))
		}
	}
}

func (r row) print(w io.Writer, chapter string) {
	refusal := "-"
	if r.refusal > 0 {
		refusal = fmt.Sprintf("%.1fms", r.refusal.Seconds()*1e3)
	}
	fmt.Fprintf(w, "%-7s %8.0f %9.0f %9.0f %9.0f %9.0f %9.0f %7s %7s %8s  %s\n", chapter, r.offered, r.attempts, r.completed, r.goodput,
		r.refused, r.late+r.failed, milliseconds(r.p50), milliseconds(r.p99), refusal, strings.Join(r.tiers, ", "))
}

func milliseconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0fms", d.Seconds()*1e3)
}

// String says when all was well again.
func (r recovered) String() string {
	if !r.within {
		return fmt.Sprintf("not within the %.0f s that were watched", r.watch.Seconds())
	}
	return fmt.Sprintf("full goodput %.1f s later", r.after.Seconds())
}
