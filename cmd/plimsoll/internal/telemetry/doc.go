// Package telemetry shows what a gate and the proxy round it do: as metrics
// for Prometheus ([Collector]), as JSON ([StatusOf]) and over HTTP ([Admin]).
//
// Everything is computed from one [plimsoll.Snapshot] per scrape, plus a few
// [Events] that only the proxy sees. The labels are class, outcome, reason,
// admitted and kind, each with a fixed set of values, and every series is
// there from the first scrape: no text that a client chose becomes a label,
// and the number of series never changes.
//
// Goodput stands beside throughput: both count answers, and only goodput
// counts those whose caller was still waiting.
package telemetry
