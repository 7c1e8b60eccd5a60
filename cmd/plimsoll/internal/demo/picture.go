package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// The picture's measures, in its own units: pixels where it is as wide as the
// page of a repository lets it be.
const (
	pictureWidth  = 840
	pictureHeight = 432
	plotTop       = 186
	plotWidth     = 366
	plotHeight    = 184
	firstPlot     = 56  // left edge
	secondPlot    = 450 // left edge
	legendLine    = 412
)

// style gives the picture a background of its own and two sets of colours.
// Where a viewer ignores the second, the first is readable all the same. The
// colours of goodput and of waste differ for the colour-blind as well.
const style = `
.card{fill:#fff;stroke:#d0d7de}.band{fill:#f3f5f8}.grid{stroke:#e3e7ec}.axis{stroke:#8b949e}
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:#57606a}
.head{font-size:17px;font-weight:600;fill:#1f2328}.name{font-size:14px;font-weight:600;fill:#1f2328}
.share{font-size:32px;font-weight:700}.small{font-size:11px}
.offered{stroke:#8b949e;stroke-width:1.2;fill:none}.capacity{stroke:#1f2328;stroke-width:1.2;stroke-dasharray:5 4;fill:none}
.throughput{stroke:#c2540a;stroke-width:1.8;fill:none}.wasted{fill:#f7c7a3}
.goodput{fill:#3b82d6}.bad{fill:#c2540a}.well{fill:#1f6cc0}
@media (prefers-color-scheme:dark){
.card{fill:#0d1117;stroke:#30363d}.band{fill:#161b22}.grid{stroke:#262c34}.axis{stroke:#6e7681}
text{fill:#9198a1}.head,.name{fill:#e6edf3}
.offered{stroke:#8b949e}.capacity{stroke:#e6edf3}.throughput{stroke:#f0883e}.wasted{fill:#5a3418}
.goodput{fill:#2f74c8}.bad{fill:#f0883e}.well{fill:#58a6ff}}
`

// svg is the result as a picture: a plot of each run, side by side and on one
// scale.
func (r result) svg() string {
	var b strings.Builder
	over := r.phases[overload]
	head := fmt.Sprintf("The same backend, offered %g× its capacity for %g s", over.load, over.length.Seconds())
	plot.Open(&b, "", pictureWidth, pictureHeight, head, r.description())
	fmt.Fprintf(&b, "<style>%s</style>\n", style)
	fmt.Fprintf(&b, `<rect class="card" x=".5" y=".5" width="%d" height="%d" rx="8"/>`+"\n", pictureWidth-1, pictureHeight-1)
	plot.Text(&b, "head", 24, 34, head)
	plot.Text(&b, "", 24, 54, fmt.Sprintf("Open loop; each caller waits %g s and retries at once, up to %d tries in all. Over real sockets.", r.deadline.Seconds(), r.attempts))

	fmt.Fprintf(&b, `<text class="small" text-anchor="middle" transform="translate(14 %d) rotate(-90)">requests per second</text>`+"\n", plotTop+plotHeight/2)
	labels, _ := r.frames(firstPlot)
	labels.Labels(&b)
	for i, run := range r.runs {
		left := []float64{firstPlot, secondPlot}[i]
		b.WriteString("<g>\n")
		r.heading(&b, left, run)
		r.draw(&b, left, run)
		b.WriteString("</g>\n")
	}
	r.legend(&b)
	b.WriteString("</svg>\n")
	return b.String()
}

// peak is the highest rate of any step.
func (r result) peak() float64 {
	top := r.capacity
	for _, run := range r.runs {
		for _, m := range slices.Concat(run.series, run.slower) {
			top = max(top, r.perSecond(max(m.offered, m.completions, m.answered)))
		}
	}
	return top
}

// description is what the picture says, for who cannot see it.
func (r result) description() string {
	var parts []string
	for _, run := range r.runs {
		parts = append(parts, fmt.Sprintf("%s: %s of its capacity reached callers in time in the overload; %s; %s. %s",
			title(run.gate), r.share(run), run.losses(), run.comeback(), run.spared()))
	}
	return strings.Join(parts, " ")
}

// heading is what stands over a plot: whose it is and what came of it.
func (r result) heading(b *strings.Builder, left float64, run run) {
	colour := "bad"
	if run.gate {
		colour = "well"
	}
	const beside = 118 // room for 100 % in a wide font
	plot.Text(b, "name", left, 88, title(run.gate))
	plot.Text(b, "share "+colour, left, 132, r.share(run))
	plot.Text(b, "", left+beside, 106, "of its capacity reached callers in time")
	plot.Text(b, "", left+beside, 121, run.losses())
	plot.Text(b, "", left+beside, 136, run.comeback())
	plot.Text(b, "", left+beside, 151, run.refusals())
}

func (r run) losses() string {
	n, of := r.lost()
	return fmt.Sprintf("CRITICAL_PLUS lost: %d of %d", n, of)
}

func (r run) refusals() string {
	s := r.phases[slower]
	return fmt.Sprintf("refused when merely slower: %d of %d", s.total[openloop.Refused], s.total.offered())
}

func (r run) comeback() string {
	if !r.recovered {
		return fmt.Sprintf("recovery: none within %g s", r.phases[after].length.Seconds())
	}
	return fmt.Sprintf("recovery: %.2f s after the overload", r.recovery.Seconds())
}

// legend says what the lines and areas are.
func (r result) legend(b *strings.Builder) {
	x := firstPlot
	for _, item := range []struct {
		area        bool
		class, name string
		width       int
	}{
		{true, "goodput", "goodput: answered in time", 200},
		{true, "wasted", "finished for nobody", 160},
		{false, "throughput", "throughput: jobs finished", 192},
		{false, "offered", "offered", 84},
		{false, "capacity", fmt.Sprintf("capacity, %.0f/s", r.capacity), 0},
	} {
		if item.area {
			fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="20" height="10"/>`, item.class, x, legendLine-9)
		} else {
			fmt.Fprintf(b, `<path class="%s" d="M%d %dh20"/>`, item.class, x, legendLine-4)
		}
		plot.Text(b, "", float64(x+26), legendLine, item.name)
		x += item.width
	}
}
