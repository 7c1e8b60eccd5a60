package arena

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
	"github.com/plimsoll-go/plimsoll/sim"
)

// The measures of a picture of limits.
const (
	pictureWidth  = 760
	pictureHeight = 330
	pictureLeft   = 64
	pictureTop    = 84
	pictureRight  = 24
	pictureFoot   = 50
	picturePoints = 300             // of a line
	idealBucket   = 2 * time.Second // arrivals of so long make a rate
)

// pictureStyle gives it a background of its own and two sets of colours, which
// differ for the colour-blind as well.
const pictureStyle = `
.card{fill:#fff;stroke:#d0d7de}.grid{stroke:#e3e7ec}.axis{stroke:#8b949e}
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:#57606a}
.head{font-size:16px;font-weight:600;fill:#1f2328}.small{font-size:11px}
.p0,.p1,.p2,.ideal{fill:none}.p0{stroke:#1f6cc0;stroke-width:2.2}.p1{stroke:#c2540a;stroke-width:1.4}.p2{stroke:#8250a8;stroke-width:1.4}
.ideal{stroke:#1f2328;stroke-width:1.4;stroke-dasharray:5 4}
@media (prefers-color-scheme:dark){
.card{fill:#0d1117;stroke:#30363d}.grid{stroke:#262c34}.axis{stroke:#6e7681}
text{fill:#9198a1}.head{fill:#e6edf3}
.p0{stroke:#58a6ff}.p1{stroke:#f0883e}.p2{stroke:#c297eb}.ideal{stroke:#e6edf3}}
`

// limits are those of one run, over time.
type limits struct {
	policy string
	step   time.Duration
	values []float64
}

// Picture draws, as an SVG, the limits that the gate and the policies beside it
// find with one seed, and how many in flight would be best.
func (b *Bout) Picture(seed uint64) (string, error) {
	offers, err := sim.Offered(b.scenario, seed)
	if err != nil {
		return "", err
	}
	var lines []limits
	for _, p := range Policies() {
		if p.Name != Auto && !slices.Contains(b.plot, p.Name) {
			continue
		}
		s := b.under(p)
		s.Bucket = max(s.Length/picturePoints, time.Millisecond)
		r, err := sim.Run(s, seed)
		if err != nil {
			return "", err
		}
		lines = append(lines, b.limitsOf(p.Name, r))
	}
	ideal := limits{"needed", idealBucket, b.ideal(offers, idealBucket)}
	return b.drawn(lines, ideal, seed), nil
}

// limitsOf is what a run's limit was.
func (b *Bout) limitsOf(policy string, r *sim.Report) limits {
	l := limits{policy, r.Bucket, nil}
	series := r.Stations[b.stations[0]].Series
	for _, level := range series[:min(len(series), int(b.scenario.Length/r.Bucket))] {
		l.values = append(l.values, float64(level.Limit))
	}
	return l
}

// drawn is the picture.
func (b *Bout) drawn(lines []limits, ideal limits, seed uint64) string {
	top := slices.Max(ideal.values)
	for _, l := range lines {
		top = max(top, slices.Max(l.values))
	}
	f := plot.Frame{
		Left: pictureLeft, Top: pictureTop,
		Width: pictureWidth - pictureLeft - pictureRight, Height: pictureHeight - pictureTop - pictureFoot,
		Span: b.scenario.Length.Seconds(),
		Values: plot.Decades{
			N:    max(1, int(math.Ceil(math.Log10(top)))),
			Name: func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) },
		},
	}
	var out strings.Builder
	plot.Open(&out, "", pictureWidth, pictureHeight, "The limit over time: "+b.Name, b.inWords(lines))
	fmt.Fprintf(&out, "<style>%s</style>\n", pictureStyle)
	fmt.Fprintf(&out, `<rect class="card" x=".5" y=".5" width="%d" height="%d" rx="8"/>`+"\n", pictureWidth-1, pictureHeight-1)
	plot.Text(&out, "head", 20, 30, b.Name+": "+b.title)
	legend(&out, lines)
	fmt.Fprintf(&out, `<text class="small" text-anchor="middle" transform="translate(16 %g) rotate(-90)">limit, requests in flight</text>`+"\n", f.Top+f.Height/2)
	f.Grid(&out)
	f.Labels(&out)
	for i := len(lines) - 1; i >= 0; i-- { // the gate above the others
		f.Steps(&out, fmt.Sprintf("p%d", i), lines[i].step.Seconds(), f.Span, lines[i].values)
	}
	f.Steps(&out, "ideal", ideal.step.Seconds(), f.Span, ideal.values)
	f.Foot(&out)
	for _, t := range plot.Ticks(b.scenario.Length, 9) {
		f.Below(&out, t.At.Seconds(), t.Label)
	}
	plot.Text(&out, "small", f.Left, pictureHeight-12, fmt.Sprintf("time; seed %d; the scale is logarithmic", seed))
	out.WriteString("</svg>\n")
	return out.String()
}

// legend says which line is whose.
func legend(out *strings.Builder, lines []limits) {
	x := 20.0
	item := func(class, name string) {
		fmt.Fprintf(out, `<path class="%s" d="M%g 54h24"/>`, class, x)
		plot.Text(out, "", x+30, 58, name)
		x += 54 + 7.5*float64(len(name)) // wide enough for a wide font
	}
	for i, l := range lines {
		item(fmt.Sprintf("p%d", i), l.policy)
	}
	item("ideal", "needed: in flight where nobody waits behind it")
}

// inWords is what the picture says, for who cannot see it.
func (b *Bout) inWords(lines []limits) string {
	parts := []string{strings.ReplaceAll(b.About, "\n", " ")}
	for _, l := range lines {
		parts = append(parts, fmt.Sprintf("%s: a limit from %g to %g.", l.policy, slices.Min(l.values), slices.Max(l.values)))
	}
	return strings.Join(parts, " ")
}
