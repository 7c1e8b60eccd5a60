package main

import (
	"os"
	"time"

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
		wire = append(wire, turn{name: c.Name, batch: l.Serve, into: &all[i].Loopback})
		m := web.NewMemory(c)
		defer m.Close()
		memory = append(memory, turn{name: c.Name, batch: m.Serve, into: &all[i].Memory})
	}
	// Requests are dearer than slots, and the kernel's share of them is noisy.
	sample := max(5*time.Millisecond, 4*p.sample)
	if err := interleave(p.pairs, sample, wire); err != nil {
		return nil, err
	}
	return all, interleave(p.pairs, sample, memory)
}
