package size

import (
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// deadlineIn is a chain of hops that inherit one deadline.
type deadlineIn struct {
	budget time.Duration   // of the first hop
	hops   int             // at least one
	work   []time.Duration // of each hop, before it calls the next; none: it is asked
	margin time.Duration   // each hop but the last sets aside for its way back
}

// deadlineOut is what each hop has. Slack is negative by what is missing.
type deadlineOut struct {
	Budget seconds   `json:"budget_s"`
	Margin seconds   `json:"margin_s"`
	Needed *seconds  `json:"needed_s"`
	Slack  *seconds  `json:"slack_s"`
	Fits   bool      `json:"fits"`
	Share  *seconds  `json:"even_share_s"`
	Hops   []hopLeft `json:"hops"`
}

// hopLeft is the time that one hop has. Late ones find their deadline passed.
type hopLeft struct {
	Receives seconds `json:"receives_s"`
	Work     seconds `json:"work_s"`
	Passes   seconds `json:"passes_s"`
	Late     bool    `json:"late"`
}

// deadline passes a budget along: each hop passes on what it received less its
// own work and the margin, as a gate does.
func deadline(in deadlineIn) deadlineOut {
	out := deadlineOut{Budget: seconds(in.budget.Seconds()), Margin: seconds(in.margin.Seconds())}
	margins := time.Duration(in.hops-1) * in.margin
	work := in.work
	if len(work) == 0 {
		each := max(0, in.budget-margins) / time.Duration(in.hops)
		share := seconds(each.Seconds())
		out.Share = &share
		work = make([]time.Duration, in.hops)
		for i := range work {
			work[i] = each
		}
	}
	needed := margins
	for _, w := range work {
		needed += w
	}
	if len(in.work) > 0 {
		total, slack := seconds(needed.Seconds()), seconds((in.budget - needed).Seconds())
		out.Needed, out.Slack = &total, &slack
	}
	out.Fits = needed <= in.budget
	left := in.budget
	for i, w := range work {
		hop := hopLeft{Receives: seconds(left.Seconds()), Work: seconds(w.Seconds()), Late: w > left}
		if i+1 < len(work) {
			left = class.Left(left, w, in.margin)
			hop.Passes = seconds(left.Seconds())
		}
		out.Hops = append(out.Hops, hop)
	}
	return out
}

func (o deadlineOut) rows() []row {
	var rows []row
	for i, h := range o.Hops {
		why := "works " + h.Work.String()
		if i+1 < len(o.Hops) {
			why += ", passes on " + h.Passes.String()
		}
		if h.Late {
			why += ": too late"
		}
		rows = append(rows, row{"hop " + strconv.Itoa(i+1) + " receives", h.Receives, why})
	}
	switch {
	case o.Share != nil && *o.Share == 0:
		rows = append(rows, row{"even share", *o.Share, "the margins take the whole budget"})
	case o.Share != nil:
		rows = append(rows, row{"even share", *o.Share, "(budget - margins) / hops"})
	case o.Fits:
		rows = append(rows, row{"needed", *o.Needed, "it fits, " + o.Slack.String() + " to spare"})
	default:
		rows = append(rows, row{"needed", *o.Needed, "it does not fit, " + (-*o.Slack).String() + " missing"})
	}
	return rows
}
