package main

import (
	"os"

	"github.com/plimsoll-go/plimsoll/bench/internal/report"
	"github.com/plimsoll-go/plimsoll/bench/internal/rpc"
	"github.com/plimsoll-go/plimsoll/bench/internal/web"
)

// calls measures gRPC servers over the loopback interface, in sittings as
// [plan.handlers] does.
func (p plan) calls() (all []report.CallSeries, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	n := min(sittings, p.pairs)
	for i := range n {
		if all, err = p.callSitting(self, p.pairs*(i+1)/n-p.pairs*i/n, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (p plan) callSitting(self string, pairs int, all []report.CallSeries) ([]report.CallSeries, error) {
	client, err := web.StartClient(self, rpc.Command)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	cases, stop, err := rpc.Cases(client)
	if err != nil {
		return nil, err
	}
	defer stop()
	if all == nil {
		all = make([]report.CallSeries, len(cases))
	}
	var turns []turn
	for i, c := range cases {
		all[i].Name = c.Name
		turns = append(turns, turn{name: c.Name, batch: c.Serve})
	}
	for i := range all {
		beside(&turns[i], turns[0], &all[i].Pairs)
	}
	return all, interleave(pairs, callScale*p.sample, turns)
}

// callScale is how much longer a sample of calls is than one of slots: a call
// costs as much as some hundred of these, and its share of the kernel is noisy.
const callScale = 3
