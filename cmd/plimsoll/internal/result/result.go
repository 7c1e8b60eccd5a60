// Package result is what a load came to: figures that a program reads and a
// person compares.
//
// A [Result] is the outcome of one run. [Write] writes it as JSON, and [Read]
// reads that back and says what is wrong with it.
package result

import "time"

// Version is that of the JSON form. It grows when a key changes its meaning or
// goes; a key that is added does not change it.
const Version = 1

// AllClasses is the name of all classes together. No class has it.
const AllClasses = "all"

// Result is what became of the requests of one run. Rates are per second;
// numbers of requests are of logical ones, a request with all its attempts,
// unless attempts are said. It is a value: nothing in it changes later.
type Result struct {
	Version     int       `json:"version"`
	Target      string    `json:"target"`
	Schedule    string    `json:"schedule"` // in words
	Seed        uint64    `json:"seed"`
	Began       time.Time `json:"began"`
	Length      float64   `json:"length_s"`          // of the schedule
	Ran         float64   `json:"ran_s"`             // how much of the schedule was played: less where it was interrupted
	PeakEnd     *float64  `json:"peak_end_s"`        // when the schedule's last peak ends; nil: it has none to recover from
	Interrupted bool      `json:"interrupted"`       // by its user
	Invalid     []string  `json:"invalid,omitempty"` // why it says nothing about its target; empty: it is valid
	Step        float64   `json:"step_s"`            // what one entry of Series covers: a second; more in a run of more than half an hour, or of more than ten minutes with many classes
	Part        float64   `json:"part_s"`            // what one entry of Parts covers
	All         Class     `json:"all"`
	Classes     []Class   `json:"classes"`
}

// Class is what became of the requests of one class, or of all. Offered is the
// sum of Skipped, Good, Late, Refused, Failed and Open.
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
	Open    int64            `json:"open"`    // sent, and had not ended when the run was given up

	Attempts        int64            `json:"attempts"` // that ended; the sum of the four
	AttemptsGood    int64            `json:"attempts_good"`
	AttemptsLate    int64            `json:"attempts_late"`
	AttemptsRefused map[string]int64 `json:"attempts_refused"` // by reason
	AttemptsFailed  map[string]int64 `json:"attempts_failed"`  // by what

	// Recovery is how long after the end of the schedule's last peak goodput was
	// back for good: from then on at least 95 % of the requests due within any
	// second were good. Nil: not within the run, or there was no peak.
	Recovery *float64 `json:"recovery_s"`

	// Latency, Service and Turned are of different requests: a refusal that comes
	// at once is no short latency.
	Latency Times `json:"latency"`     // due to done, of what was good or late: what counts
	Service Times `json:"service"`     // sent to done, of the last attempt of the same: what a closed loop would show
	Slip    Times `json:"slip"`        // due to sent, of all that ended: the generator's own fault
	Turned  Times `json:"turned_away"` // due to done, of what was refused or failed

	Series []Second `json:"series"`
	Parts  []string `json:"latency_parts"` // Latency of equal parts of the schedule by due, as HDR in Times, empty where nobody was
}

// Times are how durations lie. What a caller who hung up at its deadline would
// have waited for is not known: it counts with what it did wait.
type Times struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean_ms"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P99   float64 `json:"p99_ms"`
	P999  float64 `json:"p999_ms"`
	Max   float64 `json:"max_ms"`
	HDR   string  `json:"hdr,omitempty"` // HdrHistogram V2, compressed, base64, in nanoseconds; empty: Count is 0
}

// Second is one step of a run, a second where Result.Step is 1. The series goes
// on past the end of the schedule for as long as anything ends. Answered,
// Attempts and Done count by when they ended, all else by when a request was due.
type Second struct {
	Offered  int64   `json:"offered"`
	Skipped  int64   `json:"skipped"`
	Good     int64   `json:"good"`
	Late     int64   `json:"late"`
	Refused  int64   `json:"refused"`
	Failed   int64   `json:"failed"`
	Answered int64   `json:"answered"` // requests that ended well in it, whenever they were due: goodput, second by second
	Attempts int64   `json:"attempts"`
	Done     int64   `json:"done"`   // attempts that were good or late: throughput, as callers see it
	P50      float64 `json:"p50_ms"` // of Latency; 0: nobody was good or late
	P99      float64 `json:"p99_ms"`
}
