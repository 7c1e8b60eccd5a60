package bounds

import "fmt"

// NotInForce says in which bounds of the settings a running proxy differs from
// a chain that was made of a file.
func (c *Chain) NotInForce(running *Chain) []Warning {
	type place struct{ hop, name string }
	theirs, hops := map[place]Bound{}, map[string]bool{}
	for _, b := range running.Bounds {
		theirs[place{b.Hop, b.Name}] = b
		hops[b.Hop] = true
	}
	var out []Warning
	said := map[string]bool{}
	for _, b := range c.Bounds {
		switch r, ok := theirs[place{b.Hop, b.Name}]; {
		case b.Key == "" || said[b.Hop]:
		case !hops[b.Hop]:
			said[b.Hop] = true
			out = append(out, Warning{"not-in-force", b.Key, b.From, fmt.Sprintf("the running proxy has no %s; reload or restart it", b.Hop)})
		case !ok:
			out = append(out, Warning{"not-in-force", b.Key, b.From, fmt.Sprintf("the running proxy has no bound of %s at %s; reload it", b.Name, b.Hop)})
		case r.Value != b.Value:
			out = append(out, Warning{"not-in-force", b.Key, b.From, fmt.Sprintf("the running proxy has %s for %s at %s, and not %s; reload it", r.Value, b.Name, b.Hop, b.Value)})
		}
	}
	return out
}
