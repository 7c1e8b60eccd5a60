package checkout

import (
	"encoding/json"
	"io"
	"math"
	"time"
)

// The JSON form of the story. Rates are per second of a step's counted part;
// lost and visitors are of the whole step. A recovery of null was not seen.
type (
	resultJSON struct {
		Version        int       `json:"version"`
		Whole          float64   `json:"capacity_whole_per_s"`
		First          float64   `json:"capacity_without_first_tier_per_s"`
		Cheapest       float64   `json:"capacity_cheapest_per_s"`
		Before         []rowJSON `json:"before"`
		After          []rowJSON `json:"after"`
		BeforeRecovery *float64  `json:"before_recovery_s"`
		AfterRecovery  *float64  `json:"after_recovery_s"`
		OthersBefore   float64   `json:"pricing_others_served_before"`
		OthersAfter    float64   `json:"pricing_others_served_after"`
		BeforeSlip     float64   `json:"before_slip_p99_ms"`
		AfterSlip      float64   `json:"after_slip_p99_ms"`
	}
	rowJSON struct {
		Name      string   `json:"name,omitempty"`
		Rate      float64  `json:"rate_per_s"`
		Offered   float64  `json:"offered_per_s"`
		Attempts  float64  `json:"attempts_per_s"`
		Completed float64  `json:"completed_per_s"`
		Goodput   float64  `json:"goodput_per_s"`
		Refused   float64  `json:"refused_per_s"`
		Late      float64  `json:"late_per_s"`
		Failed    float64  `json:"failed_per_s"`
		P50       float64  `json:"p50_ms"`
		P99       float64  `json:"p99_ms"`
		Refusal   float64  `json:"refusal_p50_ms"` // 0: there was none
		Tiers     []string `json:"tiers"`
		Lost      int      `json:"lost"`
		Visitors  int      `json:"visitors"`
		Paid      int      `json:"critical_plus_good"`
		Payers    int      `json:"critical_plus_offered"`
	}
)

// writeJSON writes the story for programs.
func (r result) writeJSON(w io.Writer) error {
	out := resultJSON{
		Version: 1, Whole: hundredths(r.whole), First: hundredths(r.first), Cheapest: hundredths(r.cheapest),
		Before: rowsJSON(r.before), After: rowsJSON(r.after),
		BeforeRecovery: r.beforeRecovered.json(), AfterRecovery: r.afterRecovered.json(),
		OthersBefore: hundredths(r.quotes.before), OthersAfter: hundredths(r.quotes.after), BeforeSlip: ms(r.beforeSlip), AfterSlip: ms(r.afterSlip),
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func rowsJSON(rows []row) []rowJSON {
	out := []rowJSON{}
	for _, r := range rows {
		if r.counted == 0 {
			continue
		}
		tiers := r.tiers
		if tiers == nil {
			tiers = []string{}
		}
		out = append(out, rowJSON{
			Name: r.name, Rate: r.rate, Offered: hundredths(r.offered), Attempts: hundredths(r.attempts),
			Completed: hundredths(r.completed), Goodput: hundredths(r.goodput), Refused: hundredths(r.refused),
			Late: hundredths(r.late), Failed: hundredths(r.failed), P50: ms(r.p50), P99: ms(r.p99), Refusal: ms(r.refusal),
			Tiers: tiers, Lost: r.lost, Visitors: r.visitors, Paid: r.paid, Payers: r.payers,
		})
	}
	return out
}

func (r recovered) json() *float64 {
	if !r.within {
		return nil
	}
	s := hundredths(r.after.Seconds())
	return &s
}

func ms(d time.Duration) float64 { return hundredths(float64(d) / float64(time.Millisecond)) }

func hundredths(v float64) float64 { return math.Round(v*100) / 100 }
