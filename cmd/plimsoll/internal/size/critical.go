package size

import "github.com/plimsoll-go/plimsoll/class"

// criticalIn is a mix of requests and the capacity that is to serve it.
type criticalIn struct {
	capacity float64
	offered  [class.Count]float64 // per second, by lane
}

// criticalOut is whether the capacity covers what is critical, and who is
// served, from the top.
type criticalOut struct {
	Capacity number        `json:"capacity_per_s"`
	Critical number        `json:"critical_per_s"`
	Covered  bool          `json:"covers_critical"`
	Spare    number        `json:"spare_per_s"` // beyond what is critical; negative: missing
	Load     number        `json:"load"`        // all that is offered over the capacity
	Classes  []classServed `json:"classes"`
}

// classServed is one class of the mix.
type classServed struct {
	Class   class.Criticality `json:"class"`
	Offered number            `json:"offered_per_s"`
	Served  number            `json:"served_per_s"`
	Refused number            `json:"refused_per_s"`
}

// critical serves the classes strictly from the top, each with what those
// above it leave.
func critical(in criticalIn) criticalOut {
	must := in.offered[class.Critical.Lane()] + in.offered[class.CriticalPlus.Lane()]
	out := criticalOut{
		Capacity: number(in.capacity),
		Critical: number(must),
		Covered:  must <= in.capacity,
		Spare:    number(in.capacity - must),
	}
	left, total := in.capacity, 0.0
	for _, c := range class.All() {
		offered := in.offered[c.Lane()]
		served := min(offered, left)
		left -= served
		total += offered
		out.Classes = append(out.Classes, classServed{c, number(offered), number(served), number(offered - served)})
	}
	out.Load = number(total / in.capacity)
	return out
}

func (o criticalOut) rows() []row {
	var rows []row
	for _, c := range o.Classes {
		rows = append(rows, row{c.Class.String(), c.Served.String() + "/s", "of " + c.Offered.String() + "/s, refused " + c.Refused.String() + "/s"})
	}
	covered := row{"critical is covered", o.Critical.String() + "/s", "CRITICAL and CRITICAL_PLUS, " + o.Spare.String() + "/s to spare"}
	if !o.Covered {
		covered = row{"critical is NOT covered", o.Critical.String() + "/s", "CRITICAL and CRITICAL_PLUS, " + (-o.Spare).String() + "/s missing: add capacity"}
	}
	return append(rows, covered, row{"load", o.Load.String() + " x", "the capacity of " + o.Capacity.String() + "/s"})
}
