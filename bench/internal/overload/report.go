package overload

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/table"
)

// Report is what one command has shown: medians over its rounds.
type Report struct {
	Go         string  `json:"go"`
	Platform   string  `json:"platform"`
	Processors int     `json:"processors"`
	Rounds     int     `json:"rounds"`
	Length     float64 `json:"length_s"`
	SpinLength float64 `json:"spin_length_s"`
	Load       float64 `json:"load"`
	Deadline   float64 `json:"deadline_s"`
	Busy       Busy    `json:"machine"`
	Slots      []Group `json:"slots"` // by policy, then the control
	Spin       []Group `json:"spin"`  // by policy
	Targets    []Check `json:"targets"`
}

// Busy is what else the machine did: its load average, where it tells.
type Busy struct {
	Before string `json:"load_average_before,omitempty"`
	After  string `json:"load_average_after,omitempty"`
}

// Group is one policy's figures.
type Group struct {
	Median Figures   `json:"median"`
	Rounds []Figures `json:"rounds"`
}

// Gather makes groups of the figures of rounds, each in the same order.
func Gather(rounds [][]Figures) []Group {
	if len(rounds) == 0 {
		return nil
	}
	out := make([]Group, len(rounds[0]))
	for i := range out {
		for _, r := range rounds {
			out[i].Rounds = append(out[i].Rounds, r[i])
		}
		out[i].Median = Median(out[i].Rounds)
	}
	return out
}

// Check is a figure that is to be held, with what was measured.
type Check struct {
	What string  `json:"what"`
	Want float64 `json:"at_least"`
	Have float64 `json:"have"`
	Held bool    `json:"held"`
}

// Judge holds Plimsoll's medians against the targets.
func (r *Report) Judge() {
	check := func(groups []Group, what string, want float64, figure func(Figures) float64) {
		for _, g := range groups {
			if g.Median.Policy == Plimsoll {
				have := figure(g.Median)
				r.Targets = append(r.Targets, Check{what, want, have, have >= want})
			}
		}
	}
	share := func(f Figures) float64 { return f.OfCapacity }
	check(r.Slots, "slots: goodput after the fifth second, of the capacity", 0.99, share)
	check(r.Slots, "slots: the worst second of it", 0.93, func(f Figures) float64 { return f.Worst })
	check(r.Spin, "handler that spins: goodput after the fifth second, of the capacity", 0.95, share)
}

// doubtful is how much of the processors others may take, and how late
// requests may begin in milliseconds, before a run is called doubtful.
const (
	doubtfulShare = 0.05
	doubtfulSlip  = 50
)

// Doubts says what speaks against the figures.
func (r *Report) Doubts() []string {
	var out []string
	slip := 0.0
	for _, g := range r.Slots {
		f := g.Median
		if f.Policy == Control && f.Worst < 0.97 {
			out = append(out, fmt.Sprintf("even the closed loop, which refuses nobody and waits for nobody, had a second of %.0f %% of its mean: that is the machine's part in every worst second", 100*f.Worst))
		}
		slip = max(slip, f.Slip)
	}
	if slip > doubtfulSlip {
		out = append(out, fmt.Sprintf("before slots requests began up to %.0f ms after they were due (99th percentile)", slip))
	}
	least := float64(r.Processors)
	for _, g := range r.Spin {
		if g.Median.Processors > 0 {
			least = min(least, g.Median.Processors)
		}
	}
	if taken := 1 - least/float64(r.Processors); taken > doubtfulShare {
		out = append(out, fmt.Sprintf("other programs took up to %.0f %% of the processors from the handler that spins, so that it was offered more than %g times its capacity, "+
			"and what a limiter left unused may have been theirs", 100*taken, r.Load))
	}
	return out
}

// rowsOf are those of a scenario.
func rowsOf(title string, groups []Group) table.Rows {
	head := []string{title, "offered/s", "capacity/s", "goodput/s", "of capacity", "worst second", "refused", "late", "p50", "p99"}
	rows := table.Rows{head}
	percent := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	for _, g := range groups {
		f := g.Median
		rows = append(rows, []string{
			f.Policy, fmt.Sprintf("%.0f", f.Offered), fmt.Sprintf("%.0f", f.Capacity), fmt.Sprintf("%.0f", f.Goodput),
			percent(f.OfCapacity), percent(f.Worst), percent(f.Refused), percent(f.Late),
			fmt.Sprintf("%.0f ms", f.P50), fmt.Sprintf("%.0f ms", f.P99),
		})
	}
	return rows
}

func (r *Report) tables() []table.Rows {
	var out []table.Rows
	if len(r.Slots) > 0 {
		out = append(out, rowsOf(fmt.Sprintf("%d slots of %s, %.0f s", Slots, SlotService, r.Length), r.Slots))
	}
	if len(r.Spin) > 0 {
		out = append(out, rowsOf(fmt.Sprintf("spins for %s, %.0f s", SpinService, r.SpinLength), r.Spin))
	}
	if len(r.Targets) > 0 {
		rows := table.Rows{{"target", "at least", "measured", ""}}
		for _, c := range r.Targets {
			verdict := "held"
			if !c.Held {
				verdict = "MISSED"
			}
			rows = append(rows, []string{c.What, fmt.Sprintf("%.0f %%", 100*c.Want), fmt.Sprintf("%.1f %%", 100*c.Have), verdict})
		}
		out = append(out, rows)
	}
	return out
}

func (r *Report) heading() string {
	s := fmt.Sprintf("%s on %s, %d processors; %g times the capacity, open loop, callers leave after %g s; medians over %d round(s); after the fifth second.",
		r.Go, r.Platform, r.Processors, r.Load, r.Deadline, r.Rounds)
	if r.Busy.Before != "" {
		s += fmt.Sprintf(" Load average of the machine before %s, after %s.", r.Busy.Before, r.Busy.After)
	}
	return s
}

// Text is for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	b.WriteString(r.heading() + "\n")
	for _, rows := range r.tables() {
		b.WriteString("\n")
		b.WriteString(rows.Text(""))
	}
	for _, d := range r.Doubts() {
		fmt.Fprintf(&b, "\nDoubtful: %s.\n", d)
	}
	return b.String()
}

// Markdown is a page of its own. The command is what measures it again.
func (r *Report) Markdown(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Overload on real goroutines\n\nMeasured by `%s`: %s\n", command, r.heading())
	b.WriteString(about)
	for _, rows := range r.tables() {
		b.WriteString("\n")
		b.WriteString(rows.Markdown())
	}
	for _, d := range r.Doubts() {
		fmt.Fprintf(&b, "\nDoubtful: %s.\n", d)
	}
	return b.String()
}

const about = `
Poisson arrivals that nothing slows down; a request is good when it is answered within its deadline from when it was due. The
slots have an unbounded queue, oldest first, and do a job even when its caller has left; all policies are played in the same
seconds, each before slots of its own, and a closed loop before slots of its own is the capacity. The handler that spins uses
its caller's processor and asks nobody whether the caller is still there; each policy is played in a process of its own, between
two closed loops that measure what a second of processor time answers. The capacity is that, for the processor time that the
process had and that nobody had: what others on the machine take is nobody's fault here. Goodput, its worst second and the shares
of what was refused or came too late are of the time after the fifth second. Every limiter has the configuration that its
documentation shows: aegis, go-zero and sentinel shed only while the processor is busy, which before slots that sleep it is not,
unless others keep it so.
`

// Validate reports every fault of a plan at once.
func (p Plan) Validate() []string {
	var faults []string
	want := func(ok bool, what string) {
		if !ok {
			faults = append(faults, what)
		}
	}
	want(p.Length >= settle+time.Second, fmt.Sprintf("a length of %s or more", settle+time.Second))
	want(p.Load > 0, "a load above 0")
	want(p.Deadline > 0, "a deadline above 0")
	want(p.Measure > 0, "a time above 0 to measure the capacity")
	return slices.Clip(faults)
}
