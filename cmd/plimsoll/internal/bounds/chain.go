package bounds

import (
	"strconv"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// Chain is every bound on the way of a request, in the order in which they are
// met. It is the JSON of /bounds.
type Chain struct {
	// Live says that the reading is that of a running proxy.
	Live     bool      `json:"live"`
	Bounds   []Bound   `json:"bounds"`
	Warnings []Warning `json:"warnings"`
	Reading  Reading   `json:"reading"`
}

// Bound is one of them.
type Bound struct {
	Hop  string `json:"hop"`  // whose it is: "listener :8080", "gate shop"
	Name string `json:"name"` // what is bounded: "connections"
	// Most is the bound, in Unit; nil: there is none, or it follows from
	// others.
	Most *float64 `json:"most"`
	Unit string   `json:"unit"`
	// Value is the bound as people read it.
	Value string `json:"value"`
	// InForce is what a bound that is found is now, and Used how much of it is
	// used; nil where no process runs, or it does not count that.
	InForce *float64 `json:"in_force,omitempty"`
	Used    *float64 `json:"used,omitempty"`
	// Key is its place in a file, "" for what is the system's, and From where
	// the value comes from: "gate.yaml:7", "--limit", "default".
	Key  string `json:"key,omitempty"`
	From string `json:"from"`
	// Hit is what happens to who hits it.
	Hit string `json:"hit"`
}

// model is what a chain is made of.
type model struct {
	config config.Config
	places config.Places
	now    Reading
	bounds []Bound
}

// Of returns the chain of a proxy with these settings.
func Of(c config.Config, now Reading) *Chain {
	m := &model{config: c, places: c.Places, now: now}
	for i := range c.Listeners {
		m.listener(i)
	}
	for i := range c.Gates {
		m.gate(c.Gates[i])
	}
	for i := range c.Upstreams {
		m.upstream(c.Upstreams[i])
	}
	return &Chain{Live: now.Process != 0, Bounds: m.bounds, Warnings: m.warnings(), Reading: now}
}

// add appends a bound that the settings have.
func (m *model) add(hop, name, key string, v value, hit string) *Bound {
	m.bounds = append(m.bounds, Bound{
		Hop: hop, Name: name, Most: v.most, Unit: v.unit, Value: v.text,
		Key: key, From: m.places.Of(key), Hit: hit,
	})
	return &m.bounds[len(m.bounds)-1]
}

// own adds a bound that the program has, and nobody can change.
func (m *model) own(hop, name string, v value, hit string) {
	m.add(hop, name, "", v, hit).From = "built in"
}

// value is a bound, in numbers and in words.
type value struct {
	most *float64
	unit string
	text string
}

func number(n int, unit string) value {
	return value{most: of(n), unit: unit, text: strconv.Itoa(n)}
}

// orNone is number, where 0 is no bound.
func orNone(n int, unit string) value {
	if n == 0 {
		return value{unit: unit, text: "none"}
	}
	return number(n, unit)
}

func size(b config.Bytes) value {
	if b == 0 {
		return value{unit: "bytes", text: "none"}
	}
	return value{most: of(int(b)), unit: "bytes", text: b.String()}
}

func of(n int) *float64 {
	f := float64(n)
	return &f
}
