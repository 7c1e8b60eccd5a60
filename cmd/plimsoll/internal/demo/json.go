package demo

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// The JSON form of a result. Rates are per second of the phase: jobs done and
// requests answered in time during it, and of the logical requests due in it
// all that were offered, ended refused or ended late. The counts of a class
// are of those due in it. The series, left out where there is none, is what
// happened in each step from the start of calm to the end of after. Slower is
// played apart, against a fresh backend, and its series begins with the moments
// before the delay.
type (
	resultJSON struct {
		Capacity float64   `json:"capacity_per_s"`
		Runs     []runJSON `json:"runs"`
	}
	runJSON struct {
		Gate     bool        `json:"gate"`
		Recovery *float64    `json:"recovery_s"` // null: not within the run
		Phases   []phaseJSON `json:"phases"`
		Series   *seriesJSON `json:"series,omitempty"`
		Slower   *seriesJSON `json:"slower_series,omitempty"`
	}
	seriesJSON struct {
		Step       float64   `json:"step_s"`
		Offered    []float64 `json:"offered_per_s"`
		Throughput []float64 `json:"throughput_per_s"`
		Goodput    []float64 `json:"goodput_per_s"`
	}
	phaseJSON struct {
		Name       string               `json:"name"`
		Offered    float64              `json:"offered_per_s"`
		Throughput float64              `json:"throughput_per_s"`
		Goodput    float64              `json:"goodput_per_s"`
		Refused    float64              `json:"refused_per_s"`
		Late       float64              `json:"late_per_s"`
		P50        float64              `json:"p50_ms"` // 0: none was served
		P99        float64              `json:"p99_ms"`
		Classes    map[string]classJSON `json:"classes"`
	}
	classJSON struct {
		Offered int `json:"offered"`
		Good    int `json:"good"`
		Refused int `json:"refused"`
		Late    int `json:"late"`
		Failed  int `json:"failed"` // no connection, or an unexpected status
	}
)

// writeJSON writes the result for programs.
func (r result) writeJSON(w io.Writer) error {
	out := resultJSON{Capacity: hundredths(r.capacity)}
	for _, run := range r.runs {
		j := run.json()
		j.Series, j.Slower = r.seriesJSON(run.series), r.seriesJSON(run.slower)
		out.Runs = append(out.Runs, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (r run) json() runJSON {
	out := runJSON{Gate: r.gate}
	if r.recovered {
		s := hundredths(r.recovery.Seconds())
		out.Recovery = &s
	}
	for _, s := range r.phases {
		p := phaseJSON{
			Name:       s.name,
			Offered:    hundredths(s.perSecond(s.total.offered())),
			Throughput: hundredths(s.perSecond(s.completions)),
			Goodput:    hundredths(s.perSecond(s.answered)),
			Refused:    hundredths(s.perSecond(s.total[openloop.Refused])),
			Late:       hundredths(s.perSecond(s.total[openloop.Late])),
			P50:        hundredths(float64(s.p50) / float64(time.Millisecond)),
			P99:        hundredths(float64(s.p99) / float64(time.Millisecond)),
			Classes:    map[string]classJSON{},
		}
		for _, m := range mix {
			t := s.classes[m.class.Lane()]
			p.Classes[m.class.String()] = classJSON{
				Offered: t.offered(), Good: t[openloop.Good], Refused: t[openloop.Refused], Late: t[openloop.Late], Failed: t[openloop.Failed],
			}
		}
		out.Phases = append(out.Phases, p)
	}
	return out
}

func (p plan) seriesJSON(series []moment) *seriesJSON {
	if len(series) == 0 {
		return nil
	}
	out := &seriesJSON{Step: p.step.Seconds()}
	for _, m := range series {
		out.Offered = append(out.Offered, hundredths(p.perSecond(m.offered)))
		out.Throughput = append(out.Throughput, hundredths(p.perSecond(m.completions)))
		out.Goodput = append(out.Goodput, hundredths(p.perSecond(m.answered)))
	}
	return out
}

func hundredths(v float64) float64 { return math.Round(v*100) / 100 }
