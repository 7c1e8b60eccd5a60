package page

import (
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/knee"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
)

// WriteKnee writes the page of a search for how much a service takes. What it
// returns is the writer's error.
func WriteKnee(w io.Writer, r *knee.Report) error { return execute(w, "knee", &kneeView{r}) }

// kneeView is what the template shows.
type kneeView struct{ Report *knee.Report }

// Head is that of the page.
func (v *kneeView) Head() head { return head{v.Report.Target, loadTool} }

// Void reports whether the search says less of the service than of what asked.
func (v *kneeView) Void() bool { return v.Report.Ended == knee.Generator }

// Facts are the chief figures.
func (v *kneeView) Facts() []Parameter {
	r := v.Report
	var out []Parameter
	add := func(name string, rate float64) {
		if rate > 0 {
			out = append(out, Parameter{name, format.Rate(rate) + "/s"})
		}
	}
	if r.Knee == 0 {
		out = append(out, Parameter{"Knee", "none was found"})
	}
	add("Knee", r.Knee)
	if r.Beyond != nil {
		add("Not followed from", *r.Beyond)
	}
	add("Capacity", r.Capacity)
	add("Latency turns at", r.Turn)
	return out
}

// Sections are the curves, over all rates that say something of the service.
func (v *kneeView) Sections() []section {
	c := Curve{Capacity: v.Report.Capacity, Caption: fmt.Sprintf("knee %s/s, capacity %s/s", format.Rate(v.Report.Knee), format.Rate(v.Report.Capacity))}
	var p50, p99 []float64
	for _, s := range v.Report.Shown() {
		if len(s.Invalid) == 0 {
			c.At, c.Offered, c.Good = append(c.At, s.Rate), append(c.Offered, s.Offered), append(c.Good, s.Goodput)
			p50, p99 = append(p50, s.P50), append(p99, s.P99)
		}
	}
	const name = "asked for, requests/s"
	across := plot.Nice(most(c.At), 6)
	rates := section{
		ID: "rates", Title: "Goodput by what is asked for", Unit: "requests/s", Note: "Each place is a rate that was played. Up to the knee goodput follows it.",
		Keys: []key{{"goodput", "goodput", true}, {"offered", "offered", false}, {"capacity", "capacity", false}},
	}
	rates.Panels = []panel{{Caption: c.Caption, SVG: c.draw("good", rates.Title, name, across, plot.Nice(max(most(c.Offered), most(c.Good)), 5))}}
	turns := "nobody was answered"
	if v.Report.Turn > 0 {
		turns = "turns at about " + format.Rate(v.Report.Turn) + "/s"
	}
	latency := section{
		ID: "latency", Title: "Latency by what is asked for", Unit: "logarithmic", Note: "The median second of each rate, without refusals.",
		Keys: []key{{"longest", "p99", true}, {"mean", "p50", false}},
	}
	latency.Panels = []panel{{Caption: turns, SVG: drawOver("late", latency.Title, turns, name, across, waitAxis(most(p99)), func(b *strings.Builder, frame plot.Frame) {
		frame.Area(b, "longest", pointsAt(frame, c.At, p99))
		frame.Stroke(b, "mean", pointsAt(frame, c.At, p50))
	})}}
	return []section{rates, latency}
}

var kneeColumns = []string{"asked/s", "goodput/s", "good of offered", "refused", "late", "failed", "p50", "p99"}

func kneeRow(p *knee.Point) []string {
	if len(p.Invalid) > 0 {
		return []string{format.Rate(p.Rate), "void: " + strings.Join(p.Invalid, "; ")}
	}
	return []string{
		format.Rate(p.Rate), format.Rate(p.Goodput), format.Share(p.Goodput, p.Offered), format.Share(p.Refused, 1), format.Share(p.Late, 1),
		format.Share(p.Failed, 1), milliseconds(1000 * p.P50), milliseconds(1000 * p.P99),
	}
}

// Over is what happens at multiples of the knee; nil: nothing was asked.
func (v *kneeView) Over() *table {
	t := table{
		ID: "over", Title: "Beyond the knee", Columns: append([]string{"times the knee", "of the capacity", "back after"}, kneeColumns...),
		Note: "Back after: how long after it goodput was back for good, at half of the knee.",
	}
	var rows [][]string
	for i := range v.Report.Over {
		o := &v.Report.Over[i]
		share, back := format.Share(o.OfCapacity, 1), "not within the step"
		switch {
		case len(o.Invalid) > 0:
			share, back = "–", "–"
		case o.Recovery != nil:
			back = format.Seconds(*o.Recovery)
		}
		rows = append(rows, append([]string{fmt.Sprintf("%g", o.Times), share, back}, kneeRow(&o.Point)...))
	}
	if len(rows) == 0 {
		return nil
	}
	t.Groups = []group{{Rows: rows}}
	return &t
}

// Steps are all rates, in the order in which they were played.
func (v *kneeView) Steps() table {
	t := table{ID: "steps", Title: "Every step", Columns: append([]string{"for", "followed"}, kneeColumns...), Note: "In the order in which they were played."}
	var rows [][]string
	for i := range v.Report.Steps {
		s := &v.Report.Steps[i]
		followed := "no"
		if s.Follows {
			followed = "yes"
		}
		rows = append(rows, append([]string{string(s.Kind), followed}, kneeRow(&s.Point)...))
	}
	t.Groups = []group{{Rows: rows}}
	return t
}
