package telemetry

import (
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
)

// StatusVersion is the version of [Status]. Within one, fields are only ever
// added.
const StatusVersion = 1

// Status is the JSON of /status. Times are in seconds; everything that is
// counted only grows, so that the difference of two is a rate.
type Status struct {
	Version int       `json:"version"`
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	Since   time.Time `json:"since"`           // when the proxy began to serve
	Ready   bool      `json:"ready"`           // traffic should be sent here
	Why     string    `json:"reason,omitzero"` // why not

	Bounds    []float64     `json:"bounds_seconds"` // the upper bounds of all buckets
	Gates     []GateStatus  `json:"gates"`
	Routes    []RouteStatus `json:"routes"`
	Upstreams []Upstream    `json:"upstreams"`
	Cache     *CacheStatus  `json:"cache,omitzero"`  // of the routes that have one
	Record    *RecordStatus `json:"record,omitzero"` // of the trace that is written
	Reload    ReloadStatus  `json:"reload"`
}

// GateStatus is the part of a [Status] about one gate.
type GateStatus struct {
	Name string `json:"name"`

	Limit        int `json:"limit"`
	InFlight     int `json:"in_flight"`
	InFlightMax  int `json:"in_flight_max"`
	Streams      int `json:"streams"`
	OverdueSlots int `json:"overdue_slots"`

	QueueDepth     int     `json:"queue_depth"`
	QueueDepthMax  int     `json:"queue_depth_max"`
	QueueBound     int     `json:"queue_bound"`
	QueueBytes     int64   `json:"queue_bytes"`
	DrainRate      float64 `json:"drain_rate"`
	PredictedDelay float64 `json:"predicted_delay_seconds"`

	AdmissionLevel int  `json:"admission_level"`
	Saturated      bool `json:"saturated"`
	NewestFirst    bool `json:"newest_first"`
	Draining       bool `json:"draining"`
	Recovering     bool `json:"recovering"`

	Slots      float64           `json:"slot_seconds"` // for which ended requests held one
	Recoveries map[string]uint64 `json:"recoveries"`   // by cause

	Rungs  map[string]uint64 `json:"rungs"`           // requests by how far down the ladder they ended
	Ladder *LadderStatus     `json:"ladder,omitzero"` // nil: there are no tiers

	Service Times                  `json:"service"`
	Classes map[string]ClassStatus `json:"classes"`
}

// ClassStatus is the part of a [GateStatus] about one criticality.
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
	Duration      Times   `json:"duration"` // from arrival to end, of what was admitted
}

// Times sums up a histogram.
type Times struct {
	Count   uint64              `json:"count"`
	Sum     float64             `json:"sum_seconds"`
	Buckets [len(bounds)]uint64 `json:"buckets"` // no longer than each of the bounds
}

// RouteStatus is the part of a [Status] about one route.
type RouteStatus struct {
	Name     string            `json:"name"`
	Gate     string            `json:"gate"`
	Ended    uint64            `json:"ended"`
	Goodput  uint64            `json:"goodput"`
	Outcomes map[string]uint64 `json:"outcomes"`        // those that occurred
	Refused  map[string]uint64 `json:"refused"`         // by reason, those that occurred
	Attempts map[string]uint64 `json:"attempts"`        // by which try it was, those that occurred
	Cache    map[string]uint64 `json:"cache,omitempty"` // by how its cache answered, those that occurred
	Duration Times             `json:"duration"`
}

// ReloadStatus is the part of a [Status] about the configuration.
type ReloadStatus struct {
	File      string    `json:"file,omitzero"`
	Watching  bool      `json:"watching"`
	Loaded    time.Time `json:"loaded"` // when the configuration in force was read
	Successes uint64    `json:"successes"`
	Failures  uint64    `json:"failures"`
	Fault     string    `json:"fault,omitzero"` // why the last one read is not in force
	FaultAt   time.Time `json:"fault_at,omitzero"`
	Restart   []string  `json:"restart,omitempty"` // what of the one in force waits for a restart
}

// Status renders a view.
func (rec *Recorder) Status(v *View, why string) Status {
	out := Status{
		Version: StatusVersion, Name: v.Name, At: v.At, Since: v.Since, Ready: why == "", Why: why,
		Gates: []GateStatus{}, Routes: []RouteStatus{}, Upstreams: []Upstream{},
		Reload: ReloadStatus{
			File: v.Reload.File, Watching: v.Reload.Watching, Loaded: v.Reload.At,
			Restart:   v.Reload.Restart,
			Successes: v.Reload.Good, Failures: v.Reload.Bad, Fault: v.Reload.Fault, FaultAt: v.Reload.FaultAt,
		},
	}
	for _, le := range bounds {
		out.Bounds = append(out.Bounds, le.Seconds())
	}
	for _, s := range v.Gates {
		out.Gates = append(out.Gates, gateStatus(s, rec.gate(s.Name)))
	}
	for _, r := range v.Routes {
		out.Routes = append(out.Routes, routeStatus(r))
	}
	out.Upstreams = append(out.Upstreams, v.Upstreams...)
	out.Cache, out.Record = cacheStatus(v.Cache), recordStatus(v.Recording)
	return out
}

func gateStatus(s *plimsoll.Snapshot, c *gateCounts) GateStatus {
	out := GateStatus{
		Name:  s.Name,
		Limit: s.Limit, InFlight: s.InFlight, InFlightMax: s.HighInFlight, Streams: s.Streams, OverdueSlots: s.Overdue,
		QueueDepth: s.Depth, QueueDepthMax: s.HighDepth, QueueBound: s.Bound, QueueBytes: s.QueueBytes,
		DrainRate: s.DrainRate, PredictedDelay: s.PredictedDelay.Seconds(),
		AdmissionLevel: int(s.Level), Saturated: s.Saturated, NewestFirst: s.NewestFirst,
		Draining: s.Draining, Recovering: s.Recovering,
		Slots:      time.Duration(c.slots.Load()).Seconds(),
		Recoveries: map[string]uint64{"requested": c.requested.Load(), "automatic": c.automatic.Load()},
		Rungs:      map[string]uint64{},
		Ladder:     ladderStatus(s.Ladder, c),
		Service:    timesOf(bucketsOf(&s.Service)),
		Classes:    map[string]ClassStatus{},
	}
	for i, name := range rungNames {
		out.Rungs[name] = c.rungs[i].Load()
	}
	for lane := range s.Classes {
		var took buckets
		took.add(&c.took[lane])
		of := classStatus(&s.Classes[lane])
		b := c.before(lane)
		of.Arrived += b.all()
		of.Goodput += b.good
		of.Throughput += b.good + b.failed
		note(of.Outcomes, plimsoll.Success.String(), of.Outcomes[plimsoll.Success.String()]+b.good)
		note(of.Outcomes, plimsoll.Failed.String(), of.Outcomes[plimsoll.Failed.String()]+b.failed)
		note(of.Refused, BreakerOpen, b.held)
		of.Duration = timesOf(took)
		out.Classes[class.FromLane(lane).String()] = of
	}
	return out
}

func classStatus(c *plimsoll.ClassSnapshot) ClassStatus {
	out := ClassStatus{
		Arrived: c.Arrived, Admitted: c.Admitted, Goodput: c.Goodput, Throughput: Throughput(c), Late: c.Late,
		Refused: map[string]uint64{}, Outcomes: map[string]uint64{},
		WastedWork: c.Wasted.Seconds(),
		QueueDepth: c.Depth, QueueDepthMax: c.HighDepth, OldestWait: c.OldestWait.Seconds(),
		WaitAdmitted: timesOf(bucketsOf(&c.WaitAdmitted)), WaitRefused: timesOf(bucketsOf(&c.WaitRefused)),
	}
	for r, n := range c.Refused {
		note(out.Refused, plimsoll.Reason(r).String(), n)
	}
	for o, n := range c.Outcomes {
		note(out.Outcomes, plimsoll.Outcome(o).String(), n)
	}
	return out
}

func routeStatus(r *Route) RouteStatus {
	out := RouteStatus{
		Name: r.name, Gate: r.gate.name,
		Outcomes: map[string]uint64{}, Refused: map[string]uint64{}, Attempts: map[string]uint64{}, Cache: map[string]uint64{},
	}
	for lane := range r.ended {
		ended, good := r.count(lane)
		out.Ended += ended
		out.Goodput += good
	}
	for o := range plimsoll.Outcome(plimsoll.NumOutcomes) {
		note(out.Outcomes, o.String(), r.endedAs(int(o)))
	}
	note(out.Outcomes, "late", r.endedAs(late))
	for why := range plimsoll.Reason(plimsoll.NumReasons) {
		note(out.Refused, why.String(), r.endedAs(refusedFor+int(why)))
	}
	note(out.Refused, BreakerOpen, r.endedAs(held))
	for i, name := range attemptNames {
		note(out.Attempts, name, r.attempts[i].Load())
	}
	for i := range r.cached {
		note(out.Cache, cache.Result(i).String(), r.cached[i].Load())
	}
	var took buckets
	took.add(&r.took)
	out.Duration = timesOf(took)
	return out
}

// note keeps what occurred.
func note(in map[string]uint64, name string, n uint64) {
	if n > 0 {
		in[name] = n
	}
}

func timesOf(b buckets) Times {
	return Times{Count: b.count, Sum: b.sum.Seconds(), Buckets: b.cumulative}
}
