package sim

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Record is a request of a recorded trace: what arrived, when, for whom. What
// is zero is as the request's kind has it.
type Record struct {
	At          time.Duration // since the trace began
	Kind        string        // the name of one of its source's; empty: chosen as for other arrivals
	Criticality class.Criticality
	Level       class.Level // goes with Criticality: of no effect where that is Unset
	Tenant      string
	Deadline    time.Duration // how long its caller waits for an answer, above 0
	Cost        int64         // what it counts against its tenant
	Service     time.Duration // what serving it takes, above 0
}

// validRecords reports the faults of a recorded trace, and of kinds that would
// have to say how long a request takes.
func (s *Source) validRecords(where string, f *faults) {
	known := make(map[string]*Kind, len(s.Kinds))
	for i := range s.Kinds {
		known[s.Kinds[i].Name] = &s.Kinds[i]
	}
	drawn := false // some record leaves its service to any kind
	for i := range s.Records {
		r := &s.Records[i]
		wrong := func(key, what string, args ...any) {
			f.want(false, fmt.Sprintf("%s.Records[%d].%s", where, i, key), what, args...)
		}
		if r.At < 0 || i > 0 && r.At < s.Records[i-1].At {
			wrong("At", "want a time of 0 or more, in rising order, have %v", r.At)
		}
		if !r.Criticality.Valid() {
			wrong("Criticality", "want a criticality, have %v", r.Criticality)
		}
		if r.Level > class.MaxLevel {
			wrong("Level", "want 0 to %d, have %d", class.MaxLevel, r.Level)
		}
		if r.Deadline < 0 || r.Deadline > longest {
			wrong("Deadline", "want a time of 0 or more, have %v", r.Deadline)
		}
		if r.Cost < 0 {
			wrong("Cost", "want 0 or more, have %d", r.Cost)
		}
		if r.Service < 0 || r.Service > longest {
			wrong("Service", "want a time of 0 or more, have %v", r.Service)
		}
		switch k := known[r.Kind]; {
		case k == nil && r.Kind != "":
			wrong("Kind", "want a kind of the source, have %q", r.Kind)
		case r.Kind != "" && r.Service == 0 && k.Service == nil:
			wrong("Service", "want how long it takes, as its kind does not say")
		}
		drawn = drawn || r.Kind == "" && r.Service == 0
	}
	for i := range s.Kinds {
		f.want(!drawn || s.Kinds[i].Service != nil, fmt.Sprintf("%s.Kinds[%d] %q.Service", where, i, s.Kinds[i].Name), "want how long it takes, as some records do not say")
	}
}
