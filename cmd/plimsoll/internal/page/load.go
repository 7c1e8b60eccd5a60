package page

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/threshold"
)

// Load is what the page of a load shows. There is no command line in it: that may
// have headers that are nobody's business who sees the page.
type Load struct {
	Result   *result.Result
	Verdicts []threshold.Verdict // empty: nothing had to hold
}

// WriteLoad writes the page of a load. What it returns is the writer's error.
func WriteLoad(w io.Writer, l Load) error { return execute(w, "load", newLoadView(l)) }

const loadTool = "plimsoll load"

// mostClasses is how many classes are drawn, each on its own. The tables have
// all of them.
const mostClasses = 12

// loadView is what the template shows.
type loadView struct {
	Load
	Shown    []steps // the first is of all classes
	Sections []section
	Tables   []table

	classes []*result.Class // the most important first
	span    time.Duration
	length  time.Duration // of the schedule
}

func newLoadView(l Load) *loadView {
	r := l.Result
	v := &loadView{Load: l, length: seconds(r.Length)}
	for i := range r.Classes {
		v.classes = append(v.classes, &r.Classes[i])
	}
	slices.SortStableFunc(v.classes, func(a, b *result.Class) int { return int(criticality(b)) - int(criticality(a)) })
	v.span = max(seconds(r.Step)*time.Duration(len(r.All.Series)), 1)
	if v.length > 0 && v.span <= v.length+max(v.length/20, seconds(r.Step)) { // the last answers, which would look like a fall
		v.span = v.length
	}
	v.Shown = append(v.Shown, newSteps("all", "", &r.All, r, v.span))
	if len(v.classes) > 1 {
		for i, c := range v.drawn() {
			v.Shown = append(v.Shown, newSteps(fmt.Sprintf("class%d", i), c.Name, c, r, v.span))
		}
	}
	v.Sections = v.sections()
	v.Tables = v.tables()
	v.overTime()
	return v
}

func (v *loadView) drawn() []*result.Class { return v.classes[:min(len(v.classes), mostClasses)] }

func criticality(c *result.Class) class.Criticality {
	out, _ := class.Parse(c.Criticality)
	return out
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Head is that of the page.
func (v *loadView) Head() head { return head{v.Result.Target, loadTool} }

// Facts are what the run was, in the order in which they are shown.
func (v *loadView) Facts() []Parameter {
	r := v.Result
	out := []Parameter{
		{"Began", r.Began.UTC().Format("2006-01-02 15:04:05 UTC")},
		{"Length", moment(seconds(r.Length))},
	}
	if r.Interrupted {
		out = append(out, Parameter{"Interrupted after", strconv.FormatFloat(r.Ran, 'f', 1, 64) + " s"})
	}
	if r.PeakEnd != nil {
		out = append(out, Parameter{"Last peak ends at", moment(seconds(*r.PeakEnd))})
	}
	return append(out, Parameter{"Seed", strconv.FormatUint(r.Seed, 10)})
}

// Schedule is that of the run, as a sentence begins.
func (v *loadView) Schedule() string {
	s := v.Result.Schedule
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// Held is how many thresholds were.
func (v *loadView) Held() int {
	n := 0
	for _, t := range v.Verdicts {
		if t.OK {
			n++
		}
	}
	return n
}

// Span is what the plots' width stands for, in seconds.
func (v *loadView) Span() float64 { return v.span.Seconds() }

// Where the plots' axes lie, for the read-out.
func (*loadView) PlotLeft() int  { return plotLeft }
func (*loadView) PlotInner() int { return plotInner }
func (*loadView) PlotWidth() int { return plotWidth }
