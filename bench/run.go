package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
	"github.com/plimsoll-go/plimsoll/bench/internal/peers"
	"github.com/plimsoll-go/plimsoll/bench/internal/relay"
	"github.com/plimsoll-go/plimsoll/bench/internal/report"
)

// plan is how much is measured.
type plan struct {
	rounds int           // samples of each limiter, alone and in a crowd
	sample time.Duration // processor time of one of them
	pairs  int           // samples of each HTTP handler, over each transport
	only   string        // the one part that is measured; empty: all
}

// defaults take three to five minutes. The pairs are many because a ratio of
// samples over loopback has quartiles a tenth apart: the median of 121 is good
// to about one in a hundred.
var defaults = plan{rounds: 41, sample: 20 * time.Millisecond, pairs: 121}

// crowd is how many goroutines contend where many do.
const crowd = 64

// The parts of a run.
const (
	partAdmit  = "admit"
	partRefuse = "refuse"
	partCall   = "call"
	partHTTP   = "http"
	partProxy  = "proxy"
	partGRPC   = "grpc"
	partLoad   = "load" // not a part of all: it takes minutes, and programs of others
)

// check reports every fault of a command line at once.
func (p plan) check(args []string) error {
	var faults []error
	want := func(ok bool, what string) {
		if !ok {
			faults = append(faults, errors.New("want "+what))
		}
	}
	want(len(args) == 0, "flags only")
	want(p.rounds >= 1, "--rounds of 1 or more")
	want(p.pairs >= 1, "--pairs of 1 or more")
	want(p.sample >= time.Millisecond, "--sample of 1ms or more")
	want(slices.Contains([]string{"", partAdmit, partRefuse, partCall, partHTTP, partGRPC, partProxy, partLoad}, p.only), "--only admit, refuse, call, http, grpc, proxy or load")
	return errors.Join(faults...)
}

func (p plan) wants(part string) bool { return p.only == "" || p.only == part }

// run measures what is wanted.
func (p plan) run() (*report.Report, error) {
	r := &report.Report{
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Processors: runtime.GOMAXPROCS(0), Goroutines: crowd, Rounds: p.rounds, Pairs: p.pairs,
	}
	groups := []struct {
		part, title, peer string
		cases             []peers.Case
	}{
		{partAdmit, admitTitle, peers.Adaptive, peers.Admits()},
		{partRefuse, refuseTitle, peers.AdaptiveFull, peers.Refusals()},
		{partCall, callTitle, peers.Executor, peers.Calls()},
	}
	for _, g := range groups {
		if !p.wants(g.part) {
			continue
		}
		progress(g.title)
		all, err := p.limiters(g.cases)
		if err != nil {
			return nil, err
		}
		r.Groups = append(r.Groups, report.Compare(g.title, g.peer, peers.Floor, min(crowd, r.Processors), all))
	}
	if p.wants(partHTTP) {
		progress("HTTP")
		all, err := p.handlers()
		if err != nil {
			return nil, err
		}
		r.HTTP = report.CompareWeb(all)
	}
	if p.wants(partGRPC) {
		progress("gRPC")
		all, err := p.calls()
		if err != nil {
			return nil, err
		}
		r.Calls = report.CompareCalls(all)
	}
	if p.wants(partProxy) {
		if err := p.measureProxy(r); err != nil {
			return nil, err
		}
	}
	if p.only == partLoad {
		if err := p.measureLoad(r); err != nil {
			return nil, err
		}
	}
	r.Judge(append(targets(), loadTargets()...))
	return r, nil
}

// measureProxy adds the proxy, where it can be measured.
func (p plan) measureProxy(r *report.Report) error {
	if err := relay.Possible(); err != nil {
		progress("no proxy: " + err.Error())
		return nil
	}
	progress("the proxy")
	all, err := p.proxies()
	if err != nil {
		return err
	}
	r.RelayPairs, r.Relays = p.relayPairs(), report.CompareRelays(all)
	return nil
}

func progress(what string) { fmt.Fprintf(os.Stderr, "bench: measuring %s ...\n", what) }

// turn is one thing to be measured again and again.
type turn struct {
	name  string
	batch func(ops int, run func(ops int, f func())) error
	ops   int
	into  *[]meter.Sample
	pair  *turn // taken next to every sample, before and after in turn; nil: alone
}

// calibrate finds out how many operations make a sample, and warms up.
func (t *turn) calibrate(sample time.Duration) (err error) {
	t.ops = meter.Calibrate(sample, func(ops int) {
		if e := t.batch(ops, func(_ int, f func()) { f() }); e != nil {
			err = fmt.Errorf("%s: %w", t.name, e)
		}
	})
	if t.pair != nil {
		// As many as its partner: what a sample costs to begin is then the
		// same share of both.
		t.pair.ops = t.ops
	}
	return err
}

// take adds a sample, and one of its pair.
func (t *turn) take() error {
	switch {
	case t.pair == nil:
		return t.one()
	case len(*t.into)%2 == 0:
		return cmp.Or(t.pair.one(), t.one())
	}
	return cmp.Or(t.one(), t.pair.one())
}

func (t *turn) one() error {
	err := t.batch(t.ops, func(ops int, f func()) { *t.into = append(*t.into, meter.Run(ops, f)) })
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	return nil
}

// interleave gives everybody a turn in every round, in an order of the round's
// own, so that nobody always follows the same neighbour.
func interleave(rounds int, sample time.Duration, turns []turn) error {
	for i := range turns {
		if err := turns[i].calibrate(sample); err != nil {
			return err
		}
	}
	order := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		for _, i := range order.Perm(len(turns)) {
			if err := turns[i].take(); err != nil {
				return err
			}
		}
	}
	return nil
}

// limiters measures cases alone and in a crowd.
func (p plan) limiters(cases []peers.Case) ([]report.Series, error) {
	all := make([]report.Series, len(cases))
	var turns []turn
	for i, c := range cases {
		loop, stop, err := c.Start()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		defer stop()
		all[i].Name = c.Name
		add := func(goroutines int, into *[]meter.Sample) {
			batch := func(ops int, run func(int, func())) error { return peers.Batch(loop, ops, goroutines, run) }
			turns = append(turns, turn{name: c.Name, batch: batch, into: into})
		}
		add(1, &all[i].Alone)
		add(crowd, &all[i].Crowd)
	}
	return all, interleave(p.rounds, p.sample, turns)
}
