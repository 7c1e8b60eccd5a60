package telemetry

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// kind is what a metric's number is.
type kind uint8

const (
	counter   kind = iota // only grows
	gauge                 // is so now
	histogram             // durations in buckets
)

// metric is one metric under both its names: plimsoll_queue_wait_seconds for
// Prometheus and plimsoll.queue_wait, unit s, for OpenTelemetry. The first is
// what OpenTelemetry's rules for Prometheus make of the second, so that both
// ways of collecting end at one name.
type metric struct {
	name   string // without namespace, unit and _total
	unit   string // UCUM; what stands in braces is no part of a name
	kind   kind
	help   string
	labels []string
	desc   *prometheus.Desc
}

// namespace begins every name.
const namespace = "plimsoll"

// metrics are all there are, in the order of their definition.
var metrics []*metric

func define(kind kind, name, unit, help string, labels ...string) *metric {
	m := &metric{name: name, unit: unit, kind: kind, help: help, labels: labels}
	m.desc = prometheus.NewDesc(m.prometheusName(), help, labels, nil)
	metrics = append(metrics, m)
	return m
}

// prometheusName is the name on the metrics page.
func (m *metric) prometheusName() string {
	name := namespace + "_" + m.name
	switch m.unit {
	case "s":
		name += "_seconds"
	case "By":
		name += "_bytes"
	}
	if m.kind == counter {
		name += "_total"
	}
	return name
}

// otelName is the name in OTLP.
func (m *metric) otelName() string { return namespace + "." + m.name }

// Names returns the names of all metrics of the metrics page that are the
// proxy's own, with the names of their labels.
func Names() map[string][]string {
	out := map[string][]string{}
	for _, m := range metrics {
		out[m.prometheusName()] = m.labels
	}
	return out
}

// Help returns what a metric of [Names] is.
func Help(name string) string {
	for _, m := range metrics {
		if m.prometheusName() == name {
			return m.help
		}
	}
	return ""
}

// Histogram reports whether a metric of [Names] is a histogram, which has the
// series name_bucket, with the further label le, name_sum and name_count.
func Histogram(name string) bool {
	for _, m := range metrics {
		if m.prometheusName() == name {
			return m.kind == histogram
		}
	}
	return strings.HasSuffix(name, "_bucket")
}

// What a gate counts and is, from its snapshot.
var (
	requests   = define(counter, "requests", "{request}", "Requests that have ended, by how: refused (for a reason), or admitted and success, late, failed, timed_out, overloaded, abandoned, ignored.", "gate", "class", "outcome", "reason")
	arrivals   = define(counter, "arrivals", "{request}", "Requests that asked for admission: the offered load. Scale on this, not on what was admitted.", "gate", "class")
	goodput    = define(counter, "goodput", "{request}", "Requests answered with success within the caller's deadline.", "gate", "class")
	throughput = define(counter, "throughput", "{request}", "Requests answered, in time or too late, with success or an error of the service.", "gate", "class")
	wastedWork = define(counter, "wasted_work", "s", "Slot time of work that ended after its deadline or whose caller had gone.", "gate", "class")
	slotTime   = define(counter, "slot", "s", "Time for which ended requests held a slot, streams apart. Its rate over the limit is the utilisation.", "gate")

	queueWait      = define(histogram, "queue_wait", "s", "Time in the queue, of those admitted from it and of those refused out of it.", "gate", "class", "admitted")
	queueDepth     = define(gauge, "queue_depth", "{request}", "Requests waiting.", "gate", "class")
	queueDepthMax  = define(gauge, "queue_depth_max", "{request}", "The most that ever waited.", "gate", "class")
	queueMax       = define(gauge, "queue_depth_all_max", "{request}", "The most that ever waited, of all classes together.", "gate")
	oldestWait     = define(gauge, "oldest_wait", "s", "How long the oldest waiting request has waited.", "gate", "class")
	queueBound     = define(gauge, "queue_bound", "{request}", "Places in the queue, now.", "gate")
	queueBytes     = define(gauge, "queue", "By", "Memory that those who wait are counted to hold.", "gate")
	predictedDelay = define(gauge, "predicted_delay", "s", "What a newcomer would wait if served oldest first: depth / drain rate.", "gate")
	drainRate      = define(gauge, "drain_rate", "{request}", "Completions per second at the limit; 0 while unknown.", "gate")

	serviceSeconds = define(histogram, "service", "s", "How long successful requests held their slot.", "gate")
	duration       = define(histogram, "duration", "s", "Time from arrival to the end of admitted requests, in the queue and in the slot, streams apart.", "gate", "class")
	limitNow       = define(gauge, "limit", "{slot}", "Slots handed out at most, now.", "gate")
	limitMin       = define(gauge, "limit_min", "{slot}", "The least that the limit goes down to; a fixed limit goes nowhere.", "gate")
	limitMax       = define(gauge, "limit_max", "{slot}", "The most that the limit goes up to.", "gate")
	inFlight       = define(gauge, "in_flight", "{slot}", "Slots held.", "gate")
	inFlightMax    = define(gauge, "in_flight_max", "{slot}", "The most slots that were ever held.", "gate")
	streams        = define(gauge, "streams", "{stream}", "Long-lived streams that have left their slot.", "gate")
	overdue        = define(gauge, "overdue_slots", "{slot}", "Slots held for longer than any request should: leaks.", "gate")

	admissionLevel = define(gauge, "admission_level", "{rank}", "Rank up to which requests are refused without a look: 128 x class (1 SHEDDABLE to 4 CRITICAL_PLUS) + level; 0: nobody is.", "gate")
	saturated      = define(gauge, "saturated", "{state}", "1 while there is evidence that the service behind is full; always of a fixed limit, which is trusted.", "gate")
	newestFirst    = define(gauge, "newest_first", "{state}", "1 while a standing queue is served newest first.", "gate")
	draining       = define(gauge, "draining", "{state}", "1 once no new requests are taken.", "gate")
	recovering     = define(gauge, "recovering", "{state}", "1 while requests are readmitted on a ramp.", "gate")
	recoveries     = define(counter, "recoveries", "{event}", "How often the backlog was dropped and requests were readmitted on a ramp: requested, or automatic.", "gate", "cause")
)

// What is known of the ladder of a gate. The first is of every gate.
var (
	rungRequests    = define(counter, "rung_requests", "{request}", "Requests that have ended, by how far down the ladder: serve (admitted at once, answered in full), degrade (a tier was on for them), slow (admitted from the queue), shed (refused), fail_fast (refused without trying).", "gate", "rung")
	tiersOn         = define(gauge, "tiers_on", "{tier}", "Tiers that are on.", "gate")
	tierOn          = define(gauge, "tier_on", "{state}", "1 while a tier is on.", "gate", "tier")
	tierByHand      = define(gauge, "tier_by_hand", "{state}", "1 while a person has a tier on or off.", "gate", "tier")
	tierFailing     = define(gauge, "tier_failing", "{state}", "1 while a tier is off since its fallback fails more often than what it stands for.", "gate", "tier")
	tierTime        = define(counter, "tier_on_time", "s", "Time for which a tier has been on.", "gate", "tier")
	tierTransitions = define(counter, "tier_transitions", "{event}", "How often a tier went on or off, by cause: delayed, quiet, switched (by a person), failing.", "gate", "tier", "to", "cause")
	tierRequests    = define(counter, "tier_requests", "{request}", "Requests answered without what a tier leaves out: as it was on, or exercised, which tries that out.", "gate", "tier", "exercised")
	tierCalls       = define(counter, "tier_calls", "{call}", "Calls of a tier's cheaper way, which is its fallback, and of the full way it stands for, on the routes that have one.", "gate", "tier", "way", "result")
	tierCallTime    = define(counter, "tier_call_time", "s", "Time that these calls took until their answers began. The difference of the means is what the tier saves.", "gate", "tier", "way")
	tierTurned      = define(counter, "tier_turned_away", "{request}", "Requests answered 503 since as many of a tier's fallbacks were under way as may be.", "gate", "tier")
	tierRunning     = define(gauge, "tier_fallbacks_running", "{request}", "Requests under way to a tier's fallback.", "gate", "tier")
)

// What is counted of a route.
var (
	routeRequests = define(counter, "route_requests", "{request}", "Requests of a route that have ended, by how, as in plimsoll_requests_total.", "route", "gate", "outcome", "reason")
	routeEnded    = define(counter, "route_ended", "{request}", "Requests of a route that have ended, refused ones included.", "route", "gate", "class")
	routeGoodput  = define(counter, "route_goodput", "{request}", "Requests of a route answered with success within the caller's deadline.", "route", "gate", "class")
	routeDuration = define(histogram, "route_duration", "s", "Time from arrival to the end of a route's admitted requests, streams apart.", "route", "gate")
	attempts      = define(counter, "attempts", "{request}", "Requests of a route that have ended, by which try of one call their caller said they were: 1, 2, 3, 4+, or unknown. All over 1 and unknown is attempts per request.", "route", "gate", "attempt")
)

// What is counted of the cache, where a route has one.
var (
	cacheRequests   = define(counter, "cache_requests", "{request}", "Requests that came to a route's cache, by how they were answered: hit, stale_while_revalidate, stale_degraded, stale_allowed, stale_if_error, validated, miss, collapsed, passed or unanswered.", "route", "gate", "result")
	cacheEntries    = define(gauge, "cache_entries", "{answer}", "Answers stored.")
	cacheEntriesMax = define(gauge, "cache_entries_max", "{answer}", "Answers stored at most.")
	cacheBytes      = define(gauge, "cache", "By", "Memory that stored answers are counted to take.")
	cacheBytesMax   = define(gauge, "cache_max", "By", "Memory that stored answers take at most.")
	cacheFilling    = define(gauge, "cache_filling", "By", "Bytes held of answers that have not come whole.")
	cacheFetches    = define(gauge, "cache_fetches", "{request}", "Requests of the cache under way, for callers or in the background.")
	cacheWaiting    = define(gauge, "cache_waiting", "{request}", "Callers who wait for one of those, or are answered by it.")
	cacheStored     = define(counter, "cache_stored", "{answer}", "Answers that were stored, validated ones included.")
	cacheEvictions  = define(counter, "cache_evictions", "{answer}", "Stored answers that made room for others.")
	cacheDropped    = define(counter, "cache_dropped", "{event}", "Stored answers dropped since the service answered something else in their place, or a caller changed something.")
	cacheRefreshes  = define(counter, "cache_refreshes", "{request}", "Stale answers that were asked for again in the background: begun, or skipped for too many or too soon.", "result")
)

// What is known of the trace that is written of what arrives, where one is.
var (
	recording      = define(gauge, "recording", "{state}", "1 while what arrives is written to the trace, 0 while its file cannot be written.")
	recordBytes    = define(gauge, "record", "By", "Length of the trace's file.")
	recorded       = define(counter, "recorded_requests", "{request}", "Requests that arrived while a trace was to be written: written, dropped for want of a place in the buffer, or lost with a file that could not be written.", "result")
	recordFailures = define(counter, "record_failures", "{event}", "How often the trace's file could not be written, or had been taken away.")
)

// What is known of an upstream's endpoints.
var (
	endpointUp        = define(gauge, "endpoint_up", "{state}", "1 while an endpoint is sent requests, 0 while it is ejected.", "upstream", "endpoint")
	endpointInFlight  = define(gauge, "endpoint_in_flight", "{request}", "Requests under way to an endpoint.", "upstream", "endpoint")
	endpointRequests  = define(counter, "endpoint_requests", "{request}", "Requests sent to an endpoint.", "upstream", "endpoint")
	endpointFailures  = define(counter, "endpoint_failures", "{request}", "Requests that an endpoint failed: no connection, a broken answer, 502, 504.", "upstream", "endpoint")
	endpointOverloads = define(counter, "endpoint_overloads", "{request}", "Requests that an endpoint refused as overloaded. They are no failures.", "upstream", "endpoint")
	endpointEjections = define(counter, "endpoint_ejections", "{event}", "How often an endpoint was ejected.", "upstream", "endpoint")
)

// What only the proxy sees.
var (
	deadlineInvalid    = define(counter, "deadline_invalid", "{request}", "Requests whose deadline could not be read and was treated as absent.")
	criticalityInvalid = define(counter, "criticality_invalid", "{request}", "Requests whose criticality could not be read and was treated as absent.")
	clamped            = define(counter, "clamped", "{request}", "Requests that asked for more time or importance than they were given.")
	signatureInvalid   = define(counter, "signature_invalid", "{request}", "Requests whose signature was worth nothing: malformed, unknown_key, outdated or forged.", "verdict")
	exempt             = define(counter, "exempt_requests", "{request}", "Requests passed on without asking the gate.")
	slowBodies         = define(counter, "slow_body_requests", "{request}", "Requests whose body came more slowly than the listener allows, answered 408.")
	unmatched          = define(counter, "unmatched_requests", "{request}", "Requests that no route matches, answered 404.")
	upstreamFailed     = define(counter, "upstream_errors", "{request}", "Requests that the service behind did not answer.", "kind")
	shedLogsLeftOut    = define(counter, "shed_logs_left_out", "{line}", "Refusals that were not logged, since as many of their reason had been in that second.")

	ready           = define(gauge, "ready", "{state}", "1 while traffic should be sent here: what /readyz says.")
	reloadGood      = define(gauge, "config_last_reload_successful", "{state}", "1 while the configuration in force is the one in the file; 0: the last one read had faults.")
	reloadTimestamp = define(gauge, "config_last_reload_success_timestamp", "s", "When the configuration in force was read, in Unix time.")
	reloads         = define(counter, "config_reloads", "{event}", "Configurations read since the start, the first included: success, or failure, which changed nothing.", "result")
)
