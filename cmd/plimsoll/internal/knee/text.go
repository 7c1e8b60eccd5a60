package knee

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
)

// barWidth is how many characters the highest rate that was played is wide.
const barWidth = 40

// Write writes the report as text: a bar for every rate, and what it says.
func Write(w io.Writer, r *Report) error {
	var b strings.Builder
	if len(r.Steps) > 0 {
		r.bars(&b)
		b.WriteByte('\n')
	}
	r.findings(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// Shown are the steps of the picture, by rate: of those that were played twice
// the one that counted, which is the last. What a service rested at is none.
func (r *Report) Shown() []Step {
	byRate := map[float64]Step{}
	for _, s := range r.Steps {
		if s.Kind != Rest {
			byRate[s.Rate] = s
		}
	}
	var out []Step
	for _, s := range byRate {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Step) int { return cmp.Compare(a.Rate, b.Rate) })
	return out
}

func (r *Report) bars(b *strings.Builder) {
	steps := r.Shown()
	most := steps[len(steps)-1].Rate
	fmt.Fprintf(b, "%11s %11s %8s %9s %9s %8s  █ goodput ░ offered beyond it\n", "asked/s", "goodput/s", "good", "p50", "p99", "refused")
	for _, s := range steps {
		fmt.Fprintf(b, "%11s ", format.Rate(s.Rate))
		if len(s.Invalid) > 0 {
			why, _, _ := strings.Cut(s.Invalid[0], ": ")
			fmt.Fprintf(b, "void: %s\n", why)
			continue
		}
		fmt.Fprintf(b, "%11s %8s %9s %9s %8s  %s", format.Rate(s.Goodput), format.Share(s.Goodput, s.Offered), format.Seconds(s.P50), format.Seconds(s.P99), format.Share(s.Refused, 1), s.bar(most))
		if s.Rate == r.Knee {
			b.WriteString("  ← knee")
		}
		b.WriteByte('\n')
	}
}

func (s *Step) bar(most float64) string {
	cells := func(v float64) int { return min(int(math.Round(barWidth*v/most)), 2*barWidth) }
	good := cells(s.Goodput)
	return strings.Repeat("█", good) + strings.Repeat("░", max(cells(s.Offered)-good, 0))
}

func (r *Report) findings(b *strings.Builder) {
	line := func(name, text string, args ...any) { fmt.Fprintf(b, "%-9s %s\n", name, fmt.Sprintf(text, args...)) }
	switch {
	case r.Knee == 0:
		line("knee", "none was found")
	case r.Beyond != nil:
		line("knee", "%s/s: up to there goodput follows, at %s/s it does not", format.Rate(r.Knee), format.Rate(*r.Beyond))
	default:
		line("knee", "at least %s/s: up to there goodput follows", format.Rate(r.Knee))
	}
	if r.Capacity > 0 {
		line("capacity", "%s/s, the highest goodput of any step", format.Rate(r.Capacity))
	}
	if r.Turn > 0 {
		line("latency", "turns about %s/s: from there on it grows faster than goodput", format.Rate(r.Turn))
	}
	for _, o := range r.Over {
		line(fmt.Sprintf("at %gx", o.Times), "%s", o.words())
	}
	if r.Why != "" {
		line("ended", "%s", r.Why)
	}
}

// words are what happens at a multiple of the knee.
func (o *Over) words() string {
	if len(o.Invalid) > 0 {
		why, _, _ := strings.Cut(o.Invalid[0], ": ")
		return fmt.Sprintf("%s/s: void: %s", format.Rate(o.Rate), why)
	}
	parts := []string{fmt.Sprintf("%s/s: goodput %s/s, %s of the capacity", format.Rate(o.Rate), format.Rate(o.Goodput), format.Share(o.OfCapacity, 1))}
	if o.P99 > 0 {
		parts = append(parts, "p50 "+format.Seconds(o.P50)+" and p99 "+format.Seconds(o.P99)+" of what was answered")
	}
	for _, s := range []struct {
		what string
		of   float64
	}{{"refused", o.Refused}, {"late", o.Late}, {"failed", o.Failed}} {
		if s.of > 0 {
			parts = append(parts, format.Share(s.of, 1)+" "+s.what)
		}
	}
	if o.Recovery == nil {
		return strings.Join(append(parts, fmt.Sprintf("at %s/s afterwards it was not back within the step", format.Rate(o.Back))), ", ")
	}
	return strings.Join(append(parts, fmt.Sprintf("at %s/s afterwards back after %s", format.Rate(o.Back), format.Seconds(*o.Recovery))), ", ")
}
