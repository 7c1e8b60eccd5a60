package main

import (
	"os"

	"github.com/plimsoll-go/plimsoll/bench/internal/report"
	"github.com/plimsoll-go/plimsoll/bench/internal/web"
)

// handlers measures HTTP handlers over the loopback interface and in memory.
func (p plan) handlers() ([]report.WebSeries, error) {
	cases, stop, err := web.Cases()
	if err != nil {
		return nil, err
	}
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	client, err := web.StartClient(self, clientCommand)
	if err != nil {
		return nil, err
	}
	defer client.Close()

	all := make([]report.WebSeries, len(cases))
	var wire, memory []turn
	for i, c := range cases {
		all[i].Name = c.Name
		l, err := web.NewLoopback(c, client)
		if err != nil {
			return nil, err
		}
		defer l.Close()
		m := web.NewMemory(c)
		defer m.Close()
		wire = append(wire, turn{name: c.Name, batch: l.Serve})
		memory = append(memory, turn{name: c.Name, batch: m.Serve})
	}
	for i := range all {
		beside(&wire[i], wire[0], &all[i].Loopback)
		beside(&memory[i], memory[0], &all[i].Memory)
	}
	// Requests are dearer than slots, and the kernel's share of them is noisy.
	// They are long enough for garbage to be collected in them.
	sample := 4 * p.sample
	if err := interleave(p.pairs, sample, wire); err != nil {
		return nil, err
	}
	return all, interleave(p.pairs, sample, memory)
}

// beside has t measured in pairs with the bare handler, which is so itself:
// its ratio says how far a ratio of two equals is from 1.
func beside(t *turn, bare turn, into *report.Pairs) {
	bare.into, bare.pair = &into.Bare, nil
	t.into, t.pair = &into.Own, &bare
}
