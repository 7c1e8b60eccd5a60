package main

import (
	"math"

	"github.com/plimsoll-go/plimsoll/bench/internal/loadgen"
	"github.com/plimsoll-go/plimsoll/bench/internal/peers"
	"github.com/plimsoll-go/plimsoll/bench/internal/relay"
	"github.com/plimsoll-go/plimsoll/bench/internal/report"
	"github.com/plimsoll-go/plimsoll/bench/internal/rpc"
	"github.com/plimsoll-go/plimsoll/bench/internal/web"
)

// The groups of limiters.
const (
	admitTitle  = "admit and release"
	refuseTitle = "refuse"
	callTitle   = "make a call"
)

// targets are the figures to hold. Those in nanoseconds are for a machine that
// reads its clock in about 31 ns, and is quiet; the multiples of the floor in
// the same row say what a noisy hour adds.
func targets() []report.Target {
	admit := func(f func(report.Row) float64) func(*report.Report) (float64, bool) {
		return report.Of(admitTitle, peers.Gate, f)
	}
	refuse := func(name string, f func(report.Row) float64) func(*report.Report) (float64, bool) {
		return report.Of(refuseTitle, name, f)
	}
	call := func(f func(report.Row) float64) func(*report.Report) (float64, bool) {
		return report.Of(callTitle, peers.Client, f)
	}
	aloneX := func(r report.Row) float64 { return r.Alone.XPeer }
	crowdX := func(r report.Row) float64 { return r.Crowd.XPeer }
	alone := func(r report.Row) float64 { return r.Alone.NS }
	crowd := func(r report.Row) float64 { return r.Crowd.NS }
	// A gate's windows and a growing pool allocate now and then: below one in
	// a hundred operations it is not the operation that does.
	allocs := func(r report.Row) float64 { return max(r.Alone.Allocs, r.Crowd.Allocs) }
	return []report.Target{
		{What: "admit and release", Want: 0.5, Unit: "x failsafe-go", Have: admit(aloneX)},
		{What: "the same, 64 goroutines", Want: 0.5, Unit: "x failsafe-go", Have: admit(crowdX)},
		{What: "admit and release", Want: 0.01, Unit: "allocs", Have: admit(allocs)},
		{What: "refuse below the admission level", Want: 15, Unit: "ns", Have: refuse(peers.RefusedLevel, alone)},
		{What: "the same, 64 goroutines", Want: 12, Unit: "ns", Have: refuse(peers.RefusedLevel, crowd)},
		{What: "refuse below the admission level", Want: 0.01, Unit: "allocs", Have: refuse(peers.RefusedLevel, allocs)},
		{What: "refuse by the machine", Want: 60, Unit: "ns", Have: refuse(peers.RefusedMachine, alone)},
		{What: "refuse by the machine", Want: 0.01, Unit: "allocs", Have: refuse(peers.RefusedMachine, allocs)},
		{What: "make a call", Want: 0.5, Unit: "x failsafe-go", Have: call(aloneX)},
		{What: "make a call", Want: 0.01, Unit: "allocs", Have: call(allocs)},
		{What: "HTTP through the gate", Want: 0.97, AtLeast: true, Unit: "of bare", Have: report.OfWeb(web.Gate, func(w report.Web) float64 { return w.Loopback.Throughput })},
		{What: "HTTP through the gate", Want: 2.05, Unit: "allocs more", Have: report.OfWeb(web.Gate, func(w report.Web) float64 { return w.Memory.AllocsMore })},
		{What: "gRPC through the gate", Want: 0.97, AtLeast: true, Unit: "of bare", Have: report.OfCall(rpc.Gate, func(c report.Call) float64 { return c.Throughput })},
		{What: "the same, on the wall", Want: 0.97, AtLeast: true, Unit: "of bare", Have: report.OfCall(rpc.Gate, func(c report.Call) float64 { return c.Wall })},
		// Code that protoc generates makes two for any interceptor.
		{What: "gRPC through the gate", Want: 2.05, Unit: "allocs more", Have: report.OfCall(rpc.Gate, func(c report.Call) float64 { return c.AllocsMore })},
		{What: "forwarding by the proxy", Want: 0.95, AtLeast: true, Unit: "of bare", Have: report.OfRelay(relay.Forward, func(r report.Relay) float64 { return r.Throughput })},
		{What: "the same, 64 KiB up", Want: 0.95, AtLeast: true, Unit: "of bare", Have: report.OfRelay(relay.Forward64, func(r report.Relay) float64 { return r.Throughput })},
		{What: "forwarding by the proxy", Want: 10, Unit: "allocs more", Have: report.OfRelay(relay.Forward, func(r report.Relay) float64 { return r.AllocsMore })},
		{What: "a refusal by the proxy", Want: 0.35, Unit: "of a forward in CPU", Have: report.OfRelay(relay.Refusal, func(r report.Relay) float64 { return r.CPUTimes })},
		{What: "the same, 64 KiB up", Want: 0.45, Unit: "of a forward in CPU", Have: report.OfRelay(relay.Refusal64, func(r report.Relay) float64 { return r.CPUTimes })},
	}
}

// loadTargets are those of the part that is measured only where it is asked for.
func loadTargets() []report.Target {
	of := func(f func(report.Load) float64) func(*report.Report) (float64, bool) {
		return report.OfLoad(loadgen.Plimsoll, f)
	}
	slip := func(l report.Load) float64 {
		if !l.Kept() {
			return math.Inf(1)
		}
		return l.SlipMillis
	}
	return []report.Target{
		{What: "requests a second on one core", Want: 2 * paced, AtLeast: true, Have: of(func(l report.Load) float64 { return l.Rate })},
		{What: "sent late, one in a hundred", Want: 2, Unit: "ms", Have: of(slip)},
	}
}
