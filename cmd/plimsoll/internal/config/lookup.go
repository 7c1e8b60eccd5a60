package config

import (
	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
)

// GateConfig returns the gate of a name as the library has it. It panics where
// there is none: [Load] has resolved the names.
func (c Config) GateConfig(name string) plimsoll.Config {
	g, ok := c.gate(name)
	if !ok {
		panic("config: there is no gate " + name)
	}
	return g.Plimsoll()
}

// ClassOf returns the class of a route's requests, with the criticality that
// the route gives them.
func (c Config) ClassOf(r Route) Class {
	out, ok := c.class(r.Class)
	if !ok {
		panic("config: there is no class " + r.Class)
	}
	if r.Criticality != class.Unset {
		out.Criticality = r.Criticality
	}
	return out
}

func (c *Config) upstream(name string) (Upstream, bool) {
	return find(c.Upstreams, name, func(u *Upstream) string { return u.Name })
}

func (c *Config) gate(name string) (Gate, bool) {
	return find(c.Gates, name, func(g *Gate) string { return g.Name })
}

func (c *Config) class(name string) (Class, bool) {
	return find(c.Classes, name, func(c *Class) string { return c.Name })
}

func find[T any](all []T, name string, nameOf func(*T) string) (t T, ok bool) {
	for i := range all {
		if nameOf(&all[i]) == name {
			return all[i], true
		}
	}
	return t, false
}

func namesOf[T any](all []T, nameOf func(*T) string) []string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = nameOf(&all[i])
	}
	return out
}
