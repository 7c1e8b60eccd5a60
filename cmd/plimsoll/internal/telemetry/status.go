package telemetry

import (
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/stats"
)

// Status is the JSON of /status. Times are in seconds; fields are only ever
// added.
type Status struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`

	Limit        int `json:"limit"`
	InFlight     int `json:"in_flight"`
	InFlightMax  int `json:"in_flight_max"`
	Streams      int `json:"streams"`
	OverdueSlots int `json:"overdue_slots"`

	QueueDepth     int     `json:"queue_depth"`
	QueueDepthMax  int     `json:"queue_depth_max"`
	QueueBound     int     `json:"queue_bound"`
	DrainRate      float64 `json:"drain_rate"`
	PredictedDelay float64 `json:"predicted_delay_seconds"`

	AdmissionLevel int  `json:"admission_level"`
	Saturated      bool `json:"saturated"`
	NewestFirst    bool `json:"newest_first"`
	Draining       bool `json:"draining"`
	Recovering     bool `json:"recovering"`

	Service Times                  `json:"service"`
	Classes map[string]ClassStatus `json:"classes"`
}

// ClassStatus is the part of a [Status] about one criticality.
type ClassStatus struct {
	Arrived    uint64            `json:"arrived"`
	Admitted   uint64            `json:"admitted"`
	Goodput    uint64            `json:"goodput"`
	Throughput uint64            `json:"throughput"`
	Late       uint64            `json:"late"`
	Refused    map[string]uint64 `json:"refused"`  // by reason, those that occurred
	Outcomes   map[string]uint64 `json:"outcomes"` // of what was admitted and has ended

	WastedWork float64 `json:"wasted_work_seconds"`

	QueueDepth    int     `json:"queue_depth"`
	QueueDepthMax int     `json:"queue_depth_max"`
	OldestWait    float64 `json:"oldest_wait_seconds"`
	WaitAdmitted  Times   `json:"wait_admitted"`
	WaitRefused   Times   `json:"wait_refused"`
}

// Times sums up a histogram.
type Times struct {
	Count uint64  `json:"count"`
	Mean  float64 `json:"mean_seconds"`
	P50   float64 `json:"p50_seconds"`
	P99   float64 `json:"p99_seconds"`
}

// StatusOf renders a snapshot.
func StatusOf(s plimsoll.Snapshot) Status {
	out := Status{
		Name: s.Name, At: s.At,
		Limit: s.Limit, InFlight: s.InFlight, InFlightMax: s.HighInFlight, Streams: s.Streams, OverdueSlots: s.Overdue,
		QueueDepth: s.Depth, QueueDepthMax: s.HighDepth, QueueBound: s.Bound,
		DrainRate: s.DrainRate, PredictedDelay: s.PredictedDelay.Seconds(),
		AdmissionLevel: int(s.Level), Saturated: s.Saturated, NewestFirst: s.NewestFirst,
		Draining: s.Draining, Recovering: s.Recovering,
		Service: timesOf(&s.Service),
		Classes: map[string]ClassStatus{},
	}
	for lane := range s.Classes {
		out.Classes[class.FromLane(lane).String()] = classStatus(&s.Classes[lane])
	}
	return out
}

func classStatus(c *plimsoll.ClassSnapshot) ClassStatus {
	out := ClassStatus{
		Arrived: c.Arrived, Admitted: c.Admitted, Goodput: c.Goodput, Throughput: Throughput(c), Late: c.Late,
		Refused: map[string]uint64{}, Outcomes: map[string]uint64{},
		WastedWork: c.Wasted.Seconds(),
		QueueDepth: c.Depth, QueueDepthMax: c.HighDepth, OldestWait: c.OldestWait.Seconds(),
		WaitAdmitted: timesOf(&c.WaitAdmitted), WaitRefused: timesOf(&c.WaitRefused),
	}
	for r, n := range c.Refused {
		if n > 0 {
			out.Refused[plimsoll.Reason(r).String()] = n
		}
	}
	for o, n := range c.Outcomes {
		if n > 0 {
			out.Outcomes[plimsoll.Outcome(o).String()] = n
		}
	}
	return out
}

func timesOf(h *stats.Histogram) Times {
	return Times{
		Count: h.Count(),
		Mean:  h.Mean().Seconds(),
		P50:   h.Quantile(0.5).Seconds(),
		P99:   h.Quantile(0.99).Seconds(),
	}
}
