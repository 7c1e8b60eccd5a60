package size

import "time"

// burstIn is a burst that arrives at once at idle workers, which all take the
// same time for each request.
type burstIn struct {
	workers  int
	service  time.Duration
	deadline time.Duration // from the arrival to the answer; on it is in time
	burst    int           // 0: not known
	waiting  *int          // places of the queue there is; nil: the best cap
}

// burstOut is the best cap on what is inside, waiting or served, and what
// becomes of a burst. What the input does not tell is null.
type burstOut struct {
	BestCap number     `json:"best_cap"`
	Rounds  number     `json:"services_per_worker"`
	Waiting number     `json:"best_queue"`
	Capped  *burstFate `json:"with_cap"`
	Open    *burstFate `json:"without_cap"`
}

// burstFate is what becomes of a burst.
type burstFate struct {
	Cap      *number `json:"cap"`
	Admitted number  `json:"admitted"`
	Refused  number  `json:"refused"`
	InTime   number  `json:"in_time"`
	Late     number  `json:"late"`
	Last     seconds `json:"last_end_s"`
}

// burst computes the cap: each worker serves floor(deadline/service) requests
// one after the other in time, and one more inside is one that is late.
func burst(in burstIn) burstOut {
	rounds := float64(in.deadline / in.service)
	best := float64(in.workers) * rounds
	out := burstOut{BestCap: number(best), Rounds: number(rounds), Waiting: number(max(0, best-float64(in.workers)))}
	if in.burst == 0 {
		return out
	}
	limit := best
	if in.waiting != nil {
		limit = float64(in.workers + *in.waiting)
	}
	capped := number(limit)
	out.Capped = in.fate(min(float64(in.burst), limit), best)
	out.Capped.Cap = &capped
	out.Open = in.fate(float64(in.burst), best)
	return out
}

// fate computes what becomes of a burst of which so many get inside.
func (in burstIn) fate(admitted, best float64) *burstFate {
	inTime := min(admitted, best)
	last := ceil(admitted/float64(in.workers)) * in.service.Seconds()
	return &burstFate{
		Admitted: number(admitted),
		Refused:  number(float64(in.burst) - admitted),
		InTime:   number(inTime),
		Late:     number(admitted - inTime),
		Last:     seconds(last),
	}
}

func (o burstOut) rows() []row {
	rows := []row{
		{"best cap inside", o.BestCap, "workers x floor(deadline / service), " + o.Rounds.String() + " each"},
		{"of them waiting", o.Waiting, "best cap - workers"},
	}
	if o.BestCap == 0 {
		rows[0].why = "one service is longer than the deadline: nothing is in time"
	}
	if o.Capped != nil {
		rows = append(rows, o.Capped.rows("with a cap of "+o.Capped.Cap.String())...)
		rows = append(rows, o.Open.rows("without a cap")...)
	}
	return rows
}

func (f *burstFate) rows(when string) []row {
	counts := "in time " + f.InTime.String() + ", late " + f.Late.String() + ", last ends at " + f.Last.String()
	return []row{{when, f.Admitted.String() + " admitted", f.Refused.String() + " refused, " + counts}}
}
