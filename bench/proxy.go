package main

import (
	"context"
	"os"

	"github.com/plimsoll-go/plimsoll/bench/internal/loadgen"
	"github.com/plimsoll-go/plimsoll/bench/internal/process"
	"github.com/plimsoll-go/plimsoll/bench/internal/relay"
	"github.com/plimsoll-go/plimsoll/bench/internal/report"
	"github.com/plimsoll-go/plimsoll/bench/internal/rpc"
)

// The proxy is measured in fewer, longer and costlier pairs than handlers are,
// and its processes are made anew a few times, for the reason that sittings
// are.
const (
	relaySittings = 4
	relayScale    = 10  // times the length of a sample
	relayCount    = 100 // times its requests, up to relayMost, where objects are counted
	relayMost     = 20000
)

// relayPairs is how many pairs there are of each case of the proxy.
func (p plan) relayPairs() int { return max(1, p.pairs/3) }

// proxies measures the proxy's program beside a bare reverse proxy.
func (p plan) proxies() ([]report.RelaySeries, error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	program, err := process.Build(context.Background(), folder)
	if err != nil {
		return nil, err
	}
	var all []report.RelaySeries
	pairs := p.relayPairs()
	n := min(relaySittings, pairs)
	for i := range n {
		if all, err = p.relaySitting(program, pairs*(i+1)/n-pairs*i/n, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// relaySitting measures some of the pairs with processes of its own, and adds
// them to what there is.
func (p plan) relaySitting(program string, pairs int, all []report.RelaySeries) ([]report.RelaySeries, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	parts, cases, err := relay.Start(self, clientCommand, program)
	if err != nil {
		return nil, err
	}
	defer parts.Close()
	if all == nil {
		all = make([]report.RelaySeries, len(cases))
	}
	ops := make([]int, len(cases))
	for i, c := range cases {
		all[i].Name, all[i].Beside = c.Name, c.Beside
		if ops[i], err = c.Calibrate(relayScale * p.sample); err != nil {
			return nil, err
		}
	}
	for i, c := range cases {
		if len(all[i].Own) > 0 {
			continue // once is enough, and takes its time
		}
		own, peer, err := c.Allocations(min(relayCount*ops[i], relayMost))
		if err != nil {
			return nil, err
		}
		all[i].OwnAllocs, all[i].PeerAllocs = append(all[i].OwnAllocs, own), append(all[i].PeerAllocs, peer)
	}
	for pair := range pairs {
		for i, c := range cases {
			own, peer, err := c.Take(ops[i], pair%2 == 0)
			if err != nil {
				return nil, err
			}
			all[i].Own, all[i].Peer = append(all[i].Own, own), append(all[i].Peer, peer)
		}
	}
	return all, nil
}

// aPart is what this program does when it is started as a part of a
// measurement of the proxy, of gRPC or of load generators; false: it is not.
func aPart(args []string) (bool, error) {
	switch {
	case len(args) == 1 && args[0] == loadgen.ServerCommand:
		return true, loadgen.Serve(os.Stdin, os.Stdout)
	case len(args) == 1 && args[0] == rpc.Command:
		return true, rpc.Load(os.Stdin, os.Stdout)
	case len(args) == 1 && args[0] == relay.ServiceCommand:
		return true, relay.Service(os.Stdin, os.Stdout)
	case len(args) == 2 && args[0] == relay.BareCommand:
		return true, relay.Bare(args[1], os.Stdin, os.Stdout)
	}
	return false, nil
}
