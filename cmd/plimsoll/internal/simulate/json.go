package simulate

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// The JSON form. Times are seconds (_s) and rates are per second (_per_s), over
// the length of the scenario; counts are of whole runs.
type (
	resultJSON struct {
		Scenario    string             `json:"scenario"`
		Source      string             `json:"source,omitempty"`
		Parameters  map[string]float64 `json:"parameters,omitempty"`
		Runs        []runJSON          `json:"runs"`
		Differences []differenceJSON   `json:"differences,omitempty"`
		Verdicts    []verdict          `json:"verdicts,omitempty"`
	}
	runJSON struct {
		Policy      string `json:"policy,omitempty"`
		Seed        uint64 `json:"seed"`
		Fingerprint string `json:"fingerprint"` // the same on every platform
		figures
		Total    tallyJSON            `json:"total"`
		Kinds    []kindJSON           `json:"kinds"`
		Classes  map[string]tallyJSON `json:"classes"`
		Calls    []callJSON           `json:"calls,omitempty"`
		Stations []stationJSON        `json:"stations"`
		Series   seriesJSON           `json:"series"`
	}
	tallyJSON struct {
		Offered  uint64            `json:"offered"`
		Good     uint64            `json:"good"`
		Lost     uint64            `json:"lost"`
		Open     uint64            `json:"open"`
		Attempts uint64            `json:"attempts"`
		Held     uint64            `json:"held"`
		Failed   uint64            `json:"failed"`
		Late     uint64            `json:"late"`
		GaveUp   uint64            `json:"gave_up"`
		Refused  map[string]uint64 `json:"refused"` // by reason
		P50      float64           `json:"p50_s"`
		P99      float64           `json:"p99_s"`
		Worked   float64           `json:"worked_s"`
		Wasted   float64           `json:"wasted_s"`
	}
	kindJSON struct {
		Source string `json:"source"`
		Kind   string `json:"kind,omitempty"`
		tallyJSON
	}
	callJSON struct {
		Source  string `json:"source"`
		Kind    string `json:"kind,omitempty"`
		Call    string `json:"call"`
		Station string `json:"station"`
		tallyJSON
	}
	stationJSON struct {
		Station  string  `json:"station"`
		Capacity float64 `json:"capacity_per_s"` // 0: not known, or none
		Arrived  uint64  `json:"attempts"`
		InSystem float64 `json:"mean_inside"`
		Sojourn  float64 `json:"mean_time_s"`
		Restarts uint64  `json:"restarts"`
		Limit    []int   `json:"limit"` // at the end of each step; 0: no gate
		InFlight []int   `json:"in_flight"`
		Depth    []int   `json:"depth"`
	}
	seriesJSON struct {
		Step       float64   `json:"step_s"`
		Offered    []uint64  `json:"offered"`
		Attempts   []uint64  `json:"attempts"`
		Good       []uint64  `json:"good"`
		Late       []uint64  `json:"late"`
		Refused    []uint64  `json:"refused"`
		Failed     []uint64  `json:"failed"`
		Held       []uint64  `json:"held"`
		MeanWait   []float64 `json:"mean_wait_s"`
		Throughput []uint64  `json:"done"` // jobs that workers ended
	}
	differenceJSON struct {
		Policy   string   `json:"policy"`
		To       string   `json:"to"`
		Goodput  float64  `json:"goodput_per_s"`
		Interval *float64 `json:"plus_minus_per_s"` // in 95 of 100 cases; null: of one seed
	}
)

func (r *result) writeJSON(w io.Writer) error {
	out := resultJSON{Scenario: r.setup.file.Name, Source: r.setup.file.Source, Verdicts: r.verdicts, Parameters: map[string]float64{}}
	for _, p := range r.setup.file.Parameters {
		out.Parameters[p.Name] = p.Value
	}
	for name, v := range r.setup.set {
		out.Parameters[name] = v
	}
	for i := range r.runs {
		out.Runs = append(out.Runs, r.runs[i].json())
	}
	for i, policy := range r.policies {
		if i == 0 {
			continue
		}
		e := r.difference(i)
		d := differenceJSON{Policy: policy, To: r.policies[0], Goodput: e.mean}
		if !math.IsNaN(e.half) {
			d.Interval = &e.half
		}
		out.Differences = append(out.Differences, d)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (r *run) json() runJSON {
	rep := r.report
	out := runJSON{Policy: r.policy, Seed: r.seed, Fingerprint: "0x" + strconv.FormatUint(rep.Fingerprint(), 16), figures: r.figures(), Total: tallied(&rep.Total), Classes: map[string]tallyJSON{}}
	for i := range rep.Kinds {
		k := &rep.Kinds[i]
		out.Kinds = append(out.Kinds, kindJSON{k.Source, k.Kind, tallied(&k.Tally)})
	}
	for i := range rep.Classes {
		if y := &rep.Classes[i]; y.Offered > 0 {
			out.Classes[class.Criticality(i).String()] = tallied(y)
		}
	}
	for i := range rep.Calls {
		c := &rep.Calls[i]
		out.Calls = append(out.Calls, callJSON{c.Source, c.Kind, c.Call, c.Station, tallied(&c.Tally)})
	}
	for i := range rep.Stations {
		out.Stations = append(out.Stations, r.station(i))
	}
	out.Series = series(rep)
	return out
}

func (r *run) station(i int) stationJSON {
	st := &r.report.Stations[i]
	out := stationJSON{
		Station: st.Station, Capacity: r.plan.Capacity[i], Arrived: st.Arrived,
		InSystem: st.InSystem, Sojourn: st.Sojourn.Seconds(), Restarts: st.Restarts,
	}
	for _, l := range st.Series {
		out.Limit = append(out.Limit, l.Limit)
		out.InFlight = append(out.InFlight, l.InFlight)
		out.Depth = append(out.Depth, l.Depth)
	}
	return out
}

func series(rep *sim.Report) seriesJSON {
	out := seriesJSON{Step: rep.Bucket.Seconds()}
	for _, p := range rep.Series {
		out.Offered = append(out.Offered, p.Offered)
		out.Attempts = append(out.Attempts, p.Attempts)
		out.Good = append(out.Good, p.Good)
		out.Late = append(out.Late, p.Late)
		out.Refused = append(out.Refused, p.Refused)
		out.Failed = append(out.Failed, p.Failed)
		out.Held = append(out.Held, p.Held)
		out.MeanWait = append(out.MeanWait, p.MeanWait().Seconds())
		out.Throughput = append(out.Throughput, p.Done)
	}
	return out
}

func tallied(y *sim.Tally) tallyJSON {
	out := tallyJSON{
		Offered: y.Offered, Good: y.Good, Lost: y.Lost, Open: y.Open, Attempts: y.Attempts, Held: y.Held, Failed: y.Failed,
		Late: y.Late, GaveUp: y.GaveUp, Refused: map[string]uint64{},
		P50: quantile(&y.Latencies, 0.5).Seconds(), P99: quantile(&y.Latencies, 0.99).Seconds(),
		Worked: y.Worked.Seconds(), Wasted: y.Wasted.Seconds(),
	}
	for i, n := range y.Refused {
		if n > 0 {
			out.Refused[sim.Reason(i).String()] = n
		}
	}
	return out
}
