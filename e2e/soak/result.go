package main

import (
	"fmt"
	"io"
	"math"
	"time"
)

// result is what came of a soak.
type result struct {
	OK       bool     `json:"ok"`
	Faults   []string `json:"faults"` // what is not as it has to be
	Seconds  float64  `json:"seconds"`
	Capacity float64  `json:"capacity_per_second"`
	Load     float64  `json:"load"` // offered, in capacities

	Offered int64   `json:"offered"`
	Good    int64   `json:"good"` // answered with success within the deadline
	Late    int64   `json:"late"`
	Refused int64   `json:"refused"`
	Failed  int64   `json:"failed"` // restarts and aborts make some
	Aborted int64   `json:"aborted"`
	Goodput float64 `json:"goodput_of_capacity"`

	Sockets        int64 `json:"websockets"`
	Echoes         int64 `json:"websocket_echoes"`
	Calls          int64 `json:"grpc_calls"`
	CallsFailed    int64 `json:"grpc_calls_failed"`
	Streams        int64 `json:"grpc_streams"`
	Reloads        int64 `json:"reloads"`
	ReloadsRefused int64 `json:"reloads_of_broken_files"`
	Restarts       int64 `json:"restarts"`
	Broken         int64 `json:"connections_left_in_header"`

	Traced traced  `json:"traced"`
	Base   sample  `json:"base"`
	End    sample  `json:"end"`
	Memory float64 `json:"memory_mean_bytes"`
	Grown  float64 `json:"memory_grown_bytes"` // through the second half
}

func (p *play) result(lasted time.Duration, base, end sample, seen []sample) *result {
	r := &result{
		Seconds: lasted.Seconds(), Capacity: capacity,
		Offered: p.offered.Load(), Good: p.good.Load(), Late: p.late.Load(), Refused: p.refused.Load(), Failed: p.failed.Load(), Aborted: p.aborted.Load(),
		Sockets: p.sockets.Load(), Echoes: p.echoes.Load(),
		Calls: p.calls.Load(), CallsFailed: p.callsRefused.Load(), Streams: p.streams.Load(),
		Reloads: p.reloads.Load(), ReloadsRefused: p.reloadsRefused.Load(), Restarts: p.restarts.Load(), Broken: p.broken.Load(),
		Traced: p.traced, Base: base, End: end, Faults: []string{},
	}
	r.Load = float64(r.Offered) / r.Seconds / capacity
	r.Goodput = float64(r.Good) / r.Seconds / capacity
	r.Grown, r.Memory = growth(seen)
	fault := func(bad bool, format string, args ...any) {
		if bad {
			r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
		}
	}
	fault(end.InFlight != 0 || end.Depth != 0 || end.Streams != 0, "%d in flight, %d waiting, %d streams at the end", end.InFlight, end.Depth, end.Streams)
	fault(end.Balance != 0, "%d more arrived than ended", end.Balance)
	fault(end.Goroutines > base.Goroutines+slack, "%d goroutines, %d at first", end.Goroutines, base.Goroutines)
	fault(end.Descriptors > base.Descriptors+slack, "%d descriptors, %d at first", end.Descriptors, base.Descriptors)
	fault(r.Grown > math.Max(flatPart*r.Memory, flatNoise), "memory grew by %.1f MiB through the second half", r.Grown/(1<<20))
	fault(r.Goodput < leastGoodput*math.Min(1, r.Load), "%.0f %% of the capacity was answered in time", 100*r.Goodput)
	fault(r.Refused == 0 && r.Load > 1.5, "nothing was refused: it was no overload")
	fault(r.Echoes == 0 || r.Calls == 0 || r.Streams == 0, "no WebSocket, call or stream came through")
	fault(p.misled.Load() > 0, "%d reloads ended otherwise than their file", p.misled.Load())
	// One whose body has not begun to come has arrived, and asked no gate.
	fault(r.Traced.Records < end.Arrived, "%d arrivals are recorded of %d", r.Traced.Records, end.Arrived)
	fault(r.Traced.Longest > mostTrace, "a trace of %d bytes", r.Traced.Longest)
	r.OK = len(r.Faults) == 0
	return r
}

func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "beside it: %d WebSockets with %d echoes, %d gRPC calls (%d failed), %d streams, %d reloads, %d of broken files, %d restarts, %d aborts, %d broken connections\n",
		r.Sockets, r.Echoes, r.Calls, r.CallsFailed, r.Streams, r.Reloads, r.ReloadsRefused, r.Restarts, r.Aborted, r.Broken)
	fmt.Fprintf(w, "requests: %d offered, %d good, %d late, %d refused, %d failed\n", r.Offered, r.Good, r.Late, r.Refused, r.Failed)
	fmt.Fprintf(w, "trace: %d records of %d arrivals in %d files\n", r.Traced.Records, r.End.Arrived, r.Traced.Files)
	for _, f := range r.Faults {
		fmt.Fprintf(w, "fault: %s\n", f)
	}
	verdict := "ok"
	if !r.OK {
		verdict = "FAILED"
	}
	fmt.Fprintf(w, "soak: %s: %.0f s at %.1fx, goodput %.0f %% of capacity; at rest %d in flight, %d waiting, %d streams, goroutines %d (%d), descriptors %d (%d), memory %.0f MiB, %+.1f MiB in the second half\n",
		verdict, r.Seconds, r.Load, 100*r.Goodput, r.End.InFlight, r.End.Depth, r.End.Streams, r.End.Goroutines, r.Base.Goroutines, r.End.Descriptors, r.Base.Descriptors, r.Memory/(1<<20), r.Grown/(1<<20))
}
