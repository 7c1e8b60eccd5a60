package sim

import (
	"fmt"
	"math/rand/v2"
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

// records arrive as they are recorded.
type records []Record

func (a records) Next(c Cursor, _ *rand.Rand) (Cursor, bool) {
	if c.N >= len(a) {
		return c, false
	}
	return c.at(a[c.N].At), true
}

func (a records) Validate() error { return nil } // validRecords has

// record is that of the arrival that the cursor is at; nil without a trace.
func (src *source) record() *Record {
	if len(src.of.Records) == 0 {
		return nil
	}
	return &src.of.Records[src.cursor.N-1]
}

// named is the kind of a name.
func (src *source) named(name string) *kind {
	for i := range src.kinds {
		if src.kinds[i].of.Name == name {
			return &src.kinds[i]
		}
	}
	panic("sim: a record of a kind that its source does not have")
}

// onto makes a call what the record says.
func (r *Record) onto(c *call) {
	if r.Service > 0 {
		c.need = r.Service
	}
	if r.Deadline > 0 {
		c.patience = r.Deadline
	}
	if r.Cost > 0 {
		c.w.Item.Cost = r.Cost
	}
	of := c.kind.of
	criticality, tenant := of.Criticality, of.Tenant
	if r.Criticality != class.Unset {
		criticality = r.Criticality
		c.w.Item.Rank = class.RankOf(r.Criticality, r.Level)
	}
	if r.Tenant != "" {
		tenant = r.Tenant
		c.w.Item.Tenant = tenantOf(r.Tenant)
	}
	c.account = c.kind.books.account(criticality, tenant)
}
