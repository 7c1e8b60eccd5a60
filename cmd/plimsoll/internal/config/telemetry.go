package config

// Telemetry is what a proxy tells of itself beside its admin port.
type Telemetry struct {
	// OTLP is where traces and metrics are sent; the zero value sends none.
	OTLP OTLP
	// ServerTiming says that every answer has a Server-Timing header with the
	// times of queue and upstream; otherwise those to a trusted caller that
	// asks.
	ServerTiming bool
	// LoadReport says that every answer has an ORCA endpoint-load-metrics
	// report; otherwise those to a trusted caller that asks.
	LoadReport bool
	// ShedLogs is how many lines a second each reason of refusal may log. 0:
	// none.
	ShedLogs int
}

// OTLP is an OpenTelemetry collector that speaks OTLP over HTTP.
type OTLP struct {
	// Endpoint is the collector's URL. Empty: nothing is sent.
	Endpoint string
	// Traces and Metrics say what is sent.
	Traces, Metrics bool
	// Sample is the part of requests that are traced where the caller has not
	// decided it.
	Sample Percent
}

// On reports whether anything is sent.
func (o OTLP) On() bool { return o.Endpoint != "" }

func defaultTelemetry() Telemetry { return Telemetry{ShedLogs: 10} }

func newOTLP() OTLP { return OTLP{Traces: true, Metrics: true, Sample: 1} }

var telemetry = object(defaultTelemetry,
	member("otlp", maybeFrom(newOTLP, otlp), func(t *Telemetry) *OTLP { return &t.OTLP },
		"Where OpenTelemetry traces and metrics are sent. Absent: nowhere."),
	member("serverTiming", truth, func(t *Telemetry) *bool { return &t.ServerTiming },
		"Whether every answer tells its times in queue and upstream by Server-Timing. false: where a trusted caller asks."),
	member("loadReport", truth, func(t *Telemetry) *bool { return &t.LoadReport },
		"Whether every answer carries an ORCA load report, endpoint-load-metrics. false: where a trusted caller asks."),
	member("shedLogs", number(0, most), func(t *Telemetry) *int { return &t.ShedLogs },
		"How many lines a second are logged of refusals, for each reason. 0: none."),
)

var otlp = object(newOTLP,
	member("endpoint", collector, func(o *OTLP) *string { return &o.Endpoint },
		"The URL of a collector that takes OTLP over HTTP.").need("the collector's URL, such as http://collector:4318"),
	member("traces", truth, func(o *OTLP) *bool { return &o.Traces }, "Whether traces are sent."),
	member("metrics", truth, func(o *OTLP) *bool { return &o.Metrics }, "Whether metrics are sent."),
	member("sample", percent(0, 100), func(o *OTLP) *Percent { return &o.Sample },
		"The part of requests that are traced where the caller has not decided it."),
)
