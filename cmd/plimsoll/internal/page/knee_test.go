package page

import (
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/knee"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// searched is a search of a service that refuses what is beyond 460/s.
func searched(t *testing.T) *knee.Report {
	back := 0.2
	r, err := knee.Find(knee.Config{Start: 40}, func(p knee.Probe) (knee.Point, error) {
		good := min(p.Rate, 460)
		out := knee.Point{Seconds: 4, Offered: p.Rate, Goodput: good, Refused: (p.Rate - good) / p.Rate, P50: 0.008, P99: 0.041}
		if p.Back > 0 {
			out.Recovery = &back
		}
		return out, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Target = "http://shop.example:8080"
	return &r
}

func writtenKnee(t *testing.T, r *knee.Report) string {
	t.Helper()
	var b strings.Builder
	if err := WriteKnee(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestKneeIsAsItWas(t *testing.T) {
	got := writtenKnee(t, searched(t))
	alone(t, got)
	golden.File(t, "testdata/knee.html", got)
}

func TestAVoidMultipleIsDashes(t *testing.T) {
	r := searched(t)
	r.Over[0].Invalid = []string{"requests were sent late"}
	v := kneeView{r}
	rows := v.Over().Groups[0].Rows
	if got := rows[0]; got[1] != "–" || got[2] != "–" || got[4] != "void: requests were sent late" {
		t.Errorf("%q", got)
	}
	if got := rows[1]; got[1] != "100 %" || got[2] != "200 ms" {
		t.Errorf("%q", got)
	}
}

func TestKneeEscapesAndShowsLittle(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	r := searched(t)
	r.Target, r.Why, r.Ended = evil, evil, knee.Generator
	r.Steps[1].Invalid = []string{evil}
	if got := writtenKnee(t, r); strings.Contains(got, "<script>") || !strings.Contains(got, "card invalid") {
		t.Error("not escaped, or not void")
	}
	if got := writtenKnee(t, &knee.Report{}); strings.Contains(got, "NaN") || !strings.Contains(got, "none was found") {
		t.Error("not a page of nothing")
	}
}
