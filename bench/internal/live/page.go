package live

import (
	"fmt"
	"strings"
)

// Markdown is a page of its own. The command is what measures it again.
func (r *Report) Markdown(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The same service behind one front after another\n\nMeasured by `%s`: %s\n", command, r.heading())
	b.WriteString(r.about())
	for i, t := range r.tables() {
		if i == 1 {
			b.WriteString("\n## Row by row\n")
		}
		level := "###"
		if i == 0 {
			level = "##"
		}
		fmt.Fprintf(&b, "\n%s %s\n\n", level, t.title)
		b.WriteString(t.rows.Markdown())
		for _, n := range t.notes {
			b.WriteString("\n" + n + "\n")
		}
	}
	b.WriteString("\n## The fronts\n")
	for _, f := range r.Fronts {
		fmt.Fprintf(&b, "\n**%s**", f.Title)
		if f.Version != "" {
			fmt.Fprintf(&b, " (%s)", f.Version)
		}
		b.WriteString(".")
		if f.tuned != "" {
			b.WriteString(" " + f.tuned)
		}
		b.WriteString("\n")
		if f.Skipped != "" {
			fmt.Fprintf(&b, "It was not played: %s\n", f.Skipped)
		}
		if f.file != "" {
			fmt.Fprintf(&b, "\n```\n%s```\n", f.file)
		}
	}
	return b.String()
}

func (r *Report) about() string {
	return strings.NewReplacer("CALM", fmt.Sprint(r.Lengths.Calm), "MEASURED", fmt.Sprint(r.Lengths.Measured), "AFTER", fmt.Sprint(r.Lengths.After)).Replace(about)
}

const about = `
## What is played

A service whose slots each do one job at a time, before a queue without a bound, oldest first; a job whose caller has left is done all the same, as most
services do. It needs next to no processor time, so that two processors are enough for it, a front and the callers. Callers are an open loop of Poisson arrivals
(` + "`plimsoll load`" + `): 10 % CRITICAL_PLUS, 60 % CRITICAL, 30 % SHEDDABLE, each of which leaves at its deadline, counted from when it was due, and says
both in headers. Service and front are started afresh for each run, all fronts play a row within two minutes, and the service's capacity is measured in it too,
by a closed loop. Overloads last MEASURED s, with CALM s of 0.7 times the capacity before and AFTER s after them.

- **Goodput of a class, of the possible**: what was answered in time during the overload, of what could have been: second by second the most of CRITICAL_PLUS
  that the capacity allows, then the most of CRITICAL that this leaves room for, then of SHEDDABLE, where a request due in one second may be served in it or in
  the next. Where all could have been answered, it is of those who were due. The first second is left out: answers begin, and end, as much later than the load
  as they take. "Critical" is the first two together; – where next to nothing was possible. It may come out a little above 100 %: the capacity is measured, too.
- **Refused with room**: refused beyond what had to be turned away, of what was due.
- **p50, p99**: of what was answered in time, from when it was due.
- **Recovery**: from the end of the overload until 95 % of the requests of every second are answered in time, for good.
- **CPU / 1,000**: processor time of the front's processes for a thousand attempts, refusals with them.
- **Void**: the load generator was late itself, or less than a twenty-fifth of the processors' time was left; such a run is played again, twice at most.
`
