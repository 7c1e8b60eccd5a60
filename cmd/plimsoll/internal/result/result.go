// Package result is what a load came to: figures that a program reads and a
// person compares.
package result

import "time"

// Version is that of the JSON form. It grows when a key changes its meaning or
// goes; a key that is added does not change it.
const Version = 1

// Result is what became of the requests of one run. Rates are per second;
// numbers of requests are of logical ones, a request with all its attempts,
// unless attempts are said. It is a value: nothing in it changes later.
type Result struct {
	Version     int       `json:"version"`
	Target      string    `json:"target"`
	Schedule    string    `json:"schedule"` // in words
	Seed        uint64    `json:"seed"`
	Began       time.Time `json:"began"`
	Length      float64   `json:"length_s"` // that was planned
	Ran         float64   `json:"ran_s"`
	Interrupted bool      `json:"interrupted,omitempty"`
	Invalid     []string  `json:"invalid,omitempty"` // why it says nothing about its target; empty: it is valid

	// Recovery is how long after the end of its schedule's last peak goodput
	// was back for good; nil: not within the run, or there was no peak.
	Peaks    bool     `json:"peaks"` // the schedule has a peak to recover from
	Recovery *float64 `json:"recovery_s"`

	All     Class   `json:"all"`
	Classes []Class `json:"classes"`
}

// Class is what became of the requests of one class, or of all.
type Class struct {
	Name        string `json:"name"`
	Criticality string `json:"criticality,omitempty"`

	Offered int64            `json:"offered"` // were due, until the run ended or was interrupted
	Skipped map[string]int64 `json:"skipped"` // could not be sent at their time, by why: in_flight, late
	Sent    int64            `json:"sent"`
	Good    int64            `json:"good"`    // answered as wanted, within the deadline from their due time
	Late    int64            `json:"late"`    // the deadline passed
	Refused map[string]int64 `json:"refused"` // in time, by reason
	Failed  map[string]int64 `json:"failed"`  // anything else, by what

	Attempts  int64            `json:"attempts"`
	AttemptBy map[string]int64 `json:"attempts_by_outcome"` // good, late, refused, failed

	Latency Times `json:"latency"` // due to done, of all that were answered: what counts
	Service Times `json:"service"` // sent to done, of the last attempt: what a closed loop would show
	Slip    Times `json:"slip"`    // due to sent: the generator's own fault

	Series []Second `json:"series"`
}

// Times are how durations lie.
type Times struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean_ms"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P99   float64 `json:"p99_ms"`
	P999  float64 `json:"p999_ms"`
	Max   float64 `json:"max_ms"`
	HDR   string  `json:"hdr,omitempty"` // HdrHistogram V2, compressed, base64, in microseconds
}

// Second is one second of a run. All but Done count by when a request was due.
type Second struct {
	Offered int64   `json:"offered"`
	Skipped int64   `json:"skipped"`
	Good    int64   `json:"good"`
	Late    int64   `json:"late"`
	Refused int64   `json:"refused"`
	Failed  int64   `json:"failed"`
	Done    int64   `json:"done"` // answers of any kind that came in it, refusals left out: throughput
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
}
