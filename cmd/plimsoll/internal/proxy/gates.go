package proxy

import (
	"fmt"
	"slices"
	"sync"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/limit"
)

// gate is a gate and the settings that are in force in it. It does not change:
// other settings make another one of the same gate.
type gate struct {
	*plimsoll.Gate
	config config.Gate
	load   *httpgate.Load // of all routes that lead through it

	pressure *pressure
}

// gates are the gates of a proxy: those in force, in the order of the file,
// and those that no configuration has any more but that still hold work. A
// gate that comes back while it does is the same one again, so that nothing in
// flight is forgotten. The zero value has none.
type gates struct {
	mu      sync.Mutex
	inForce []*gate
	leaving []*gate
}

// change is what a new configuration does to the gates. Nothing has been done
// until it is committed.
type change struct {
	gates  *gates
	wanted []*gate            // in force from then on
	bounds []*plimsoll.Config // what is to change in each; nil: nothing
}

// plan works out what it takes to have the gates of a configuration. It changes
// nothing; only one plan may be under way.
func (g *gates) plan(wanted []config.Gate, onTier func(plimsoll.TierChange)) (*change, error) {
	out := &change{gates: g}
	for _, c := range wanted {
		next, bounds, err := g.next(c, onTier)
		if err != nil {
			return nil, fmt.Errorf("gate %s: %w", c.Name, err)
		}
		out.wanted, out.bounds = append(out.wanted, next), append(out.bounds, bounds)
	}
	return out, nil
}

// next returns the gate that is to have some settings, and what of it is to
// change; nil: nothing.
func (g *gates) next(c config.Gate, onTier func(plimsoll.TierChange)) (*gate, *plimsoll.Config, error) {
	bounds := c.Plimsoll()
	have := g.named(c.Name)
	switch {
	case have == nil:
		bounds.OnTier = onTier
		made, err := plimsoll.New(bounds)
		if err != nil {
			return nil, nil, err
		}
		return &gate{made, c, httpgate.NewLoad(made), newPressure(made)}, nil, nil
	case have.config.Equal(c):
		return have, nil, nil
	}
	bounds.Limit = successor(have, c)
	return &gate{have.Gate, c, have.load, have.pressure}, &bounds, bounds.Validate()
}

// named returns the gate of a name, one that is leaving if need be, or nil.
func (g *gates) named(name string) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, have := range slices.Concat(g.inForce, g.leaving) {
		if have.config.Name == name {
			return have
		}
	}
	return nil
}

// successor is the algorithm that finds the limit from now on. Nil: the one in
// force, which keeps what it has learnt. New bounds of one that is found begin
// with what the old one had found.
func successor(have *gate, c config.Gate) limit.Algorithm {
	switch was := have.config; {
	case c.Limit == was.Limit && (c.Limit != 0 || c.MinLimit == was.MinLimit && c.MaxLimit == was.MaxLimit):
		return nil
	case c.Limit != 0:
		return limit.NewFixed(c.Limit)
	}
	found := min(max(have.Snapshot().Limit, c.MinLimit), c.MaxLimit)
	return limit.NewAuto(limit.AutoConfig{Min: c.MinLimit, Max: c.MaxLimit, Initial: found})
}

// commit puts a plan in force. Who waits keeps its place, and a lower limit
// drains. The faults of a plan have been found before; there is no other.
func (c *change) commit() error {
	for i, have := range c.wanted {
		if c.bounds[i] == nil {
			continue
		}
		if err := have.Reconfigure(*c.bounds[i]); err != nil {
			return fmt.Errorf("gate %s: %w", have.config.Name, err)
		}
	}
	g := c.gates
	g.mu.Lock()
	defer g.mu.Unlock()
	before := slices.Concat(g.inForce, g.leaving)
	g.inForce, g.leaving = c.wanted, nil
	for _, have := range before {
		if !slices.ContainsFunc(c.wanted, func(w *gate) bool { return w.Gate == have.Gate }) {
			g.leaving = append(g.leaving, have)
		}
	}
	g.letGoLocked()
	return nil
}

// letGoLocked forgets gates that are leaving and hold nothing any more.
func (g *gates) letGoLocked() {
	g.leaving = slices.DeleteFunc(g.leaving, func(have *gate) bool {
		s := have.Snapshot()
		return s.InFlight+s.Depth+s.Streams == 0
	})
}

// all returns the gates in force and those that are leaving.
func (g *gates) all() []*gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.letGoLocked()
	return slices.Concat(g.inForce, g.leaving)
}

// snapshots returns what each of them looks like now.
func (g *gates) snapshots() []plimsoll.Snapshot {
	list := g.all()
	out := make([]plimsoll.Snapshot, len(list))
	for i, have := range list {
		out[i] = have.Snapshot()
	}
	return out
}
