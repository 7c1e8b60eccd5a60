package mix

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
	"github.com/plimsoll-go/plimsoll/sim"
)

// Mix is the classes of a load, one at least.
type Mix struct {
	Classes []*Class // nobody changes it

	all     lot
	byName  map[string]int
	byClass [class.Count + 1]lot // those of a criticality, with that of no class first
}

// lot is some of the classes, to draw one of them.
type lot struct {
	of   []int
	upTo []float64 // running sums of their weights
}

func (l *lot) add(i int, weight float64) {
	sum := weight
	if n := len(l.upTo); n > 0 {
		sum += l.upTo[n-1]
	}
	l.of, l.upTo = append(l.of, i), append(l.upTo, sum)
}

func (l *lot) draw(rng *rand.Rand) int {
	if len(l.of) == 1 {
		return l.of[0]
	}
	return l.of[pick(l.upTo, rng)]
}

// maxWeight keeps the sum of all weights finite, and the smallest of them
// within what a float64 has beside it.
const (
	minWeight = 1e-9
	maxWeight = 1e9
)

// New makes a mix of classes. What is wrong with them is the error, all of it.
func New(classes []*Class) (*Mix, error) {
	m := &Mix{Classes: classes, byName: map[string]int{}}
	var faults []error
	if len(classes) == 0 {
		faults = append(faults, errors.New("mix: want a class"))
	}
	for i, c := range classes {
		wrong := func(format string, args ...any) {
			faults = append(faults, fmt.Errorf("mix: class %q: want "+format, append([]any{c.Name}, args...)...))
		}
		if _, twice := m.byName[c.Name]; twice {
			wrong("a name of its own")
		}
		if !(c.Weight >= minWeight && c.Weight <= maxWeight) {
			wrong("a weight from %g to %g, have %g", minWeight, maxWeight, c.Weight)
		}
		if !c.Criticality.Valid() || c.Level > class.MaxLevel {
			wrong("a criticality with a level of %d at most, have %v with %d", class.MaxLevel, c.Criticality, c.Level)
			continue
		}
		if c.Deadline < 0 {
			wrong("a deadline above 0, have %v", c.Deadline)
		}
		if t := c.Tenants; t != nil {
			if len(t.Names) == 0 || len(t.Names) > mostTenants || math.IsNaN(t.Skew) || t.Skew < 0 || t.Skew > maxSkew {
				wrong("1 to %d tenants with a skew from 0 to %d, have %d with %g", mostTenants, maxSkew, len(t.Names), t.Skew)
			} else {
				t.prepare()
			}
		}
		if c.Deadline == 0 {
			c.Deadline = DefaultDeadline
		}
		m.byName[c.Name] = i
		m.all.add(i, c.Weight)
		m.byClass[c.Criticality].add(i, c.Weight)
	}
	return m, errors.Join(faults...)
}

// maxSkew is one with which the first tenant is all there is.
const maxSkew = 20

// Draw is a request for an arrival. Its class is drawn by weight. Of an arrival
// that was recorded, it is
//
//   - the class that is named as the recorded kind; or else
//   - one of those with the recorded criticality, by weight; or else
//   - one of all, by weight;
//
// and what the record says of criticality, level and deadline, of which an hour at
// most, goes before what the class says. Its tenant is that of the record, and
// nobody where that says none. It does not allocate but for templates, and for
// them draws from rng too.
func (m *Mix) Draw(rng *rand.Rand, a *schedule.Arrival) Request {
	r := Request{Index: m.choose(rng, a.Recorded)}
	c := m.Classes[r.Index]
	r.Class, r.Criticality, r.Level, r.Deadline, r.Path = c, c.Criticality, c.Level, c.Deadline, c.Path
	if c.Tenants != nil && a.Recorded == nil {
		r.Tenant = c.Tenants.draw(rng)
	}
	if a.Recorded != nil {
		r.follow(a.Recorded)
	}
	if c.ByTenant && r.Level == 0 {
		r.Level = class.LevelOf(r.Tenant, 0)
	}
	if c.PathOf != nil {
		r.Path = c.PathOf.path(rng, r)
	}
	if c.Body != nil {
		r.Body = c.Body.Bytes
		if c.Body.Template != nil {
			r.Body = c.Body.Template.fill(rng, r)
		}
	}
	return r
}

// choose draws the class.
func (m *Mix) choose(rng *rand.Rand, recorded *sim.Record) int {
	if recorded == nil {
		return m.all.draw(rng)
	}
	if recorded.Kind != "" {
		if i, ok := m.byName[recorded.Kind]; ok {
			return i
		}
	}
	if recorded.Criticality.Valid() {
		if some := &m.byClass[recorded.Criticality]; len(some.of) > 0 {
			return some.draw(rng)
		}
	}
	return m.all.draw(rng)
}

// follow takes over what a trace says.
func (r *Request) follow(recorded *sim.Record) {
	r.Tenant = recorded.Tenant
	if recorded.Criticality != class.Unset {
		r.Criticality, r.Level = recorded.Criticality, recorded.Level
	}
	if recorded.Deadline > 0 {
		r.Deadline = min(recorded.Deadline, maxDeadline)
	}
}

// DefaultName is the name of the class of a load that says none.
const DefaultName = "default"
