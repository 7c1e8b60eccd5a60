// Package telemetry shows what gates, routes and upstreams of a proxy do: as
// metrics for Prometheus and by OTLP, as JSON, as spans and in the log.
//
//	Recorder   what is counted outside of the gates, kept over reloads
//	Route      counts how requests end, one by one, with a handful of atomic additions
//	Source     what a proxy is asked for, once for a page or a scrape: a [View]
//	Admin      the admin port
//
// Everything else is computed from one [plimsoll.Snapshot] of each gate. One
// list of metrics (metrics.go) has the names for both ways of collecting.
//
// The labels are gate, route, upstream, endpoint
// and tier, which the configuration names, and class, outcome, reason, admitted,
// attempt, cause, result, kind, rung, exercised, to and way, each with a fixed
// set of values. Every series is there from the first scrape: no text that a
// client chose becomes a label, and the number of series changes with the
// configuration only. A gate has 375 of them and 22 more for each tier, a route
// 53, an endpoint 6.
//
// Goodput stands beside throughput: both count answers, and only goodput
// counts those whose caller was still waiting.
package telemetry
