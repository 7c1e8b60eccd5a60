package load

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
)

// mostOverdue is the share of requests that a run may miss as its sender came
// too late.
const mostOverdue = 0.01

// invalid is why a result says nothing about its target: what was sent was not
// what the schedule says.
func (p *Plan) invalid(r *result.Result) (why []string) {
	all := &r.All
	if all.Offered == 0 {
		why = append(why, "no request was due: make the run longer, or its rate higher")
	}
	if n := all.Skipped[openloop.SkipInFlight.String()]; n > 0 {
		why = append(why, fmt.Sprintf("%d of %d requests were not sent, for %d were without an answer already: raise --max-in-flight, or have shorter deadlines",
			n, all.Offered, p.inFlight()))
	}
	if n := all.Skipped[openloop.SkipOverdue.String()]; float64(n) > mostOverdue*float64(all.Offered) {
		why = append(why, fmt.Sprintf("%d of %d requests were not sent, for the generator came more than %s too late: it needs more of a core, or a lower rate",
			n, all.Offered, p.overdue()))
	}
	if n := exhausted(r); n > 0 {
		why = append(why, fmt.Sprintf("%d requests could not be sent, for this machine had no local port or no file descriptor left: raise its bounds (ulimit -n), or lower the rate", n))
	}
	if slip, most := all.Slip.P99, p.maxSlip(); slip > float64(most)/float64(time.Millisecond) {
		why = append(why, fmt.Sprintf("requests were sent late, one in a hundred by %.1f ms or more, where %s is the bound: the generator needs more of a core, or a lower rate",
			slip, most))
	}
	if all.Open > 0 && !r.Interrupted {
		why = append(why, fmt.Sprintf("%d requests had not ended %s after their deadlines", all.Open, grace))
	}
	return why
}

// exhausted is how many requests this machine could not send. All classes
// together may have more reasons than are told apart, and this one be among the
// others.
func exhausted(r *result.Result) (n int64) {
	for i := range r.Classes {
		n += r.Classes[i].Failed[target.Exhausted]
	}
	return n
}
