package demo

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// mark is the name of the section of a README that has its table.
const mark = "demo"

// markdown is the result for a README. The command is what measures it again.
func (r result) markdown(command string) string {
	var b strings.Builder
	over := r.phases[overload]
	fmt.Fprintf(&b, "One overload, played twice over real sockets: %d slots of %g ms, an unbounded queue, %.0f requests a second measured; open-loop\n"+
		"callers who wait %g s and retry at once, up to %d tries, counted by logical request; %g times the capacity for %g s.\n\n",
		r.slots, r.service.Seconds()*1e3, r.capacity, r.deadline.Seconds(), r.attempts, over.load, over.length.Seconds())
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row("per second", "offered", "throughput", "goodput", "refused", "late", "p50", "p99")
	b.WriteString("|---" + strings.Repeat("|--:", 7) + "|\n")
	rate := func(v float64) string { return fmt.Sprintf("%.0f", v) }
	for i, ph := range r.runs[0].phases {
		for _, run := range r.runs {
			s := run.phases[i]
			goodput := rate(s.perSecond(s.answered))
			if i == overload {
				goodput = "**" + goodput + "**"
			}
			row(fmt.Sprintf("%s %.1fx, %s", ph.name, ph.load, whose(run.gate)),
				rate(s.perSecond(s.total.offered())), rate(s.perSecond(s.completions)), goodput,
				rate(s.perSecond(s.total[openloop.Refused])), rate(s.perSecond(s.total[openloop.Late])), milliseconds(s.p50), milliseconds(s.p99))
		}
	}
	b.WriteString("\n")
	row("the overload", whose(false), whose(true))
	b.WriteString("|---|--:|--:|\n")
	bare, gate := r.runs[0], r.runs[1]
	row("goodput, of the capacity", r.share(bare), "**"+r.share(gate)+"**")
	row("`CRITICAL_PLUS` requests lost", ratio(bare.lost()), "**"+ratio(gate.lost())+"**")
	row("goodput back for good after", back(bare), "**"+back(gate)+"**")
	fmt.Fprintf(&b, "\nSlower is no overload: %s of delay added downstream, at %g times the capacity, played apart and against a fresh backend.\n"+
		"Plimsoll refused %d of %d there.\n", downstream, gate.phases[slower].load, gate.phases[slower].total[openloop.Refused], gate.phases[slower].total.offered())
	for _, warning := range r.warnings() {
		fmt.Fprintf(&b, "\n%s\n", warning)
	}
	fmt.Fprintf(&b, "\nMeasured by `%s`: %s on %s/%s, %d processors.\n",
		command, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	return b.String()
}

func whose(gate bool) string {
	if gate {
		return "behind Plimsoll"
	}
	return "bare"
}

func ratio(n, of int) string { return fmt.Sprintf("%d of %d", n, of) }

func back(r run) string {
	if !r.recovered {
		return fmt.Sprintf("not within %g s", r.phases[after].length.Seconds())
	}
	return fmt.Sprintf("%.2f s", r.recovery.Seconds())
}
