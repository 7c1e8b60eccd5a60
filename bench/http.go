package main

import (
	"os"

	"github.com/plimsoll-go/plimsoll/bench/internal/report"
	"github.com/plimsoll-go/plimsoll/bench/internal/web"
)

// sittings is how often servers and connections are made anew. Where a server's
// memory lies and which processor its connections wake on is settled by chance
// once and can cost several in a hundred: measured in one sitting, a handler
// paired with itself was up to a tenth off.
const sittings = 12

// handlers measures HTTP handlers over the loopback interface and in memory.
func (p plan) handlers() ([]report.WebSeries, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var all []report.WebSeries
	n := min(sittings, p.pairs)
	for i := range n {
		pairs := p.pairs*(i+1)/n - p.pairs*i/n
		if all, err = p.sitting(self, pairs, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sitting measures some of the pairs with servers of its own, and adds them to
// what there is.
func (p plan) sitting(self string, pairs int, all []report.WebSeries) ([]report.WebSeries, error) {
	cases, stop, err := web.Cases()
	if err != nil {
		return nil, err
	}
	defer stop()
	client, err := web.StartClient(self, clientCommand)
	if err != nil {
		return nil, err
	}
	defer client.Close()

	if all == nil {
		all = make([]report.WebSeries, len(cases))
	}
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
	sample := 2 * p.sample
	if err := interleave(pairs, sample, wire); err != nil {
		return nil, err
	}
	return all, interleave(pairs, sample, memory)
}

// beside has t measured in pairs with the bare handler, which is so itself:
// its ratio says how far a ratio of two equals is from 1.
func beside(t *turn, bare turn, into *report.Pairs) {
	bare.into, bare.pair = &into.Bare, nil
	t.into, t.pair = &into.Own, &bare
}
