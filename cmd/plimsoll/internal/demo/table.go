package demo

import (
	"fmt"
	"io"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// slack is the generator's lateness above which a run is called doubtful: a
// few percent of the deadline, and more than a busy scheduler's hiccups.
const slack = 50 * time.Millisecond

// print writes the result for people.
func (r result) print(w io.Writer) {
	fmt.Fprintf(w, "\nBackend: %d slots of %s, unbounded queue, measured capacity %.0f/s\n", r.slots, r.service, r.capacity)
	fmt.Fprintf(w, "Clients: open loop, deadline %s, up to %d immediate attempts, counted by logical request\n", r.deadline, r.attempts)
	for _, run := range r.runs {
		run.print(w)
	}
	fmt.Fprintf(w, "\n%s\n", r.moral())
	for _, warning := range r.warnings() {
		fmt.Fprintf(w, "\n%s\n", warning)
	}
}

func (r run) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", title(r.gate))
	fmt.Fprintf(w, "%-14s %9s %12s %9s %9s %7s %8s %8s\n",
		"per second", "offered", "throughput", "goodput", "refused", "late", "p50", "p99")
	for _, s := range r.phases {
		fmt.Fprintf(w, "%-14s %9.0f %12.0f %9.0f %9.0f %7.0f %8s %8s\n", fmt.Sprintf("%s %.1fx", s.name, s.load),
			s.perSecond(s.total.offered()), s.perSecond(s.completions), s.perSecond(s.answered),
			s.perSecond(s.total[openloop.Refused]), s.perSecond(s.total[openloop.Late]), milliseconds(s.p50), milliseconds(s.p99))
	}
	fmt.Fprintf(w, "%-28s %9s %9s %9s %9s\n", "requests by class", "offered", "good", "refused", "late")
	for _, s := range r.phases {
		for _, m := range mix {
			t := s.classes[m.class.Lane()]
			fmt.Fprintf(w, "%-14s %-13s %9d %9d %9d %9d\n", s.name, m.class, t.offered(), t[openloop.Good], t[openloop.Refused], t[openloop.Late])
		}
	}
	if r.recovered {
		fmt.Fprintf(w, "recovery: goodput was back for good %.2f s after the overload\n", r.recovery.Seconds())
	} else {
		fmt.Fprintf(w, "recovery: none in the %.1f s that followed the overload\n", r.phases[after].length.Seconds())
	}
}

func milliseconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0fms", d.Seconds()*1e3)
}

// moral is the result in plain words, whatever it turned out to be.
func (r result) moral() string {
	bare, gate := r.runs[0], r.runs[1]
	b, g := bare.phases[overload], gate.phases[overload]
	return fmt.Sprintf("At twice its capacity the bare backend finished %.0f jobs a second, yet only\n"+
		"%s of its capacity reached a caller who was still there. %s\n"+
		"Behind the gate %s did, and %.0f requests a second were told at once that there was no room.\n%s\n%s",
		b.perSecond(b.completions), r.share(bare), bare.fate(), r.share(gate), g.perSecond(g.total[openloop.Refused]), gate.fate(), gate.spared())
}

// spared is what became of those who were no overload.
func (r run) spared() string {
	s := r.phases[slower]
	return fmt.Sprintf("At %g times the capacity, with %s of delay added downstream, it refused %d of %d.",
		s.load, s.delay, s.total[openloop.Refused], s.total.offered())
}

// share is how much of the capacity became goodput in the overload of a run.
func (r result) share(run run) string {
	s := run.phases[overload]
	return fmt.Sprintf("%.0f %%", 100*s.perSecond(s.answered)/r.capacity)
}

// lost is how many of the most important requests of the overload did not end
// well, and how many there were.
func (r run) lost() (n, of int) {
	t := r.phases[overload].classes[class.CriticalPlus.Lane()]
	return t.offered() - t[openloop.Good], t.offered()
}

// fate is what became of the most important requests, and of the time after.
func (r run) fate() string {
	lost := "Not one CRITICAL_PLUS request was lost"
	if n, of := r.lost(); n > 0 {
		lost = fmt.Sprintf("%d of %d CRITICAL_PLUS requests were lost", n, of)
	}
	if !r.recovered {
		return lost + ",\nand it had not recovered when the run ended."
	}
	return fmt.Sprintf("%s, and all was well %.2f s after the overload.", lost, r.recovery.Seconds())
}

// warnings says what makes the figures doubtful.
func (r result) warnings() []string {
	var out []string
	for _, run := range r.runs {
		if run.slip > slack {
			out = append(out, fmt.Sprintf("Doubtful: %s: the generator itself was %s late (99th percentile); this machine is too busy for the load.",
				title(run.gate), run.slip.Round(time.Millisecond)))
		}
		n := 0
		for _, s := range run.phases {
			n += s.total[openloop.Failed]
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("Doubtful: %s: %d requests failed for want of a connection or by an unexpected status.",
				title(run.gate), n))
		}
	}
	return out
}
