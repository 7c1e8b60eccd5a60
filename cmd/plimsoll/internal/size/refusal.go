package size

// refusalIn is a service and what it costs it to refuse.
type refusalIn struct {
	load float64 // rho: offered, as a multiple of the capacity
	cost float64 // r: of a refusal, as a share of a service by the same workers
	keep float64 // share of the capacity to keep; 0: not asked
}

// refusalOut is the goodput that is left. What the input does not tell is
// null; so is the load that collapses it when refusals are free.
type refusalOut struct {
	Load     number  `json:"load"`
	Cost     number  `json:"refusal_cost"`
	Goodput  number  `json:"goodput"`
	Refused  number  `json:"refused"`
	Refusing number  `json:"spent_on_refusals"`
	Collapse *number `json:"collapse_load"`
	MaxCost  *number `json:"refusal_cost_max"`
}

// refusal computes what follows from g + (rho - g) r = 1: what is served and
// what is refused take all there is. Amounts are shares of the capacity.
func refusal(in refusalIn) refusalOut {
	out := refusalOut{Load: number(in.load), Cost: number(in.cost)}
	good := min(in.load, max(0, (1-in.load*in.cost)/(1-in.cost)))
	if in.load <= 1 {
		good = in.load
	}
	out.Goodput, out.Refused = number(good), number(in.load-good)
	out.Refusing = number(min(1, (in.load-good)*in.cost))
	if in.cost > 0 {
		collapse := number(1 / in.cost)
		out.Collapse = &collapse
	}
	if in.keep > 0 {
		most := number((1 - in.keep) / (in.load - in.keep))
		out.MaxCost = &most
	}
	return out
}

func (o refusalOut) rows() []row {
	rows := []row{
		{"goodput", percent(float64(o.Goodput)), "of the capacity, at " + o.Load.String() + " x and " + percent(float64(o.Cost)) + " of a service per refusal"},
		{"refused", o.Refused.String() + " x", "the capacity"},
		{"spent on refusals", percent(float64(o.Refusing)), "of the workers' time"},
	}
	if o.Collapse != nil {
		rows = append(rows, row{"collapses at", o.Collapse.String() + " x", "the capacity, 1 / cost: refusals take it all"})
	} else {
		rows = append(rows, row{"collapses at", "never", "refusals are free"})
	}
	if o.MaxCost != nil {
		rows = append(rows, row{"refusal may cost", percent(float64(*o.MaxCost)), "of a service, to keep the goodput asked for at this load"})
	}
	return rows
}
