package tier

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// listed is one tier and the gate that has it.
type listed struct {
	Gate string `json:"gate"`
	telemetry.TierStatus
}

// tiersOf are the tiers of a gate, or of all where the name is empty.
func tiersOf(s *telemetry.Status, gate string) ([]listed, error) {
	out, known := []listed{}, gate == ""
	for _, g := range s.Gates {
		if gate != "" && gate != g.Name {
			continue
		}
		known = true
		if g.Ladder == nil {
			continue
		}
		for _, t := range g.Ladder.Tiers {
			out = append(out, listed{g.Name, t})
		}
	}
	if !known {
		return nil, fmt.Errorf("there is no gate %q", gate)
	}
	return out, nil
}

// table writes tiers for people.
func table(to io.Writer, all []listed, now time.Time) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(to, "no gate has tiers")
		return err
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GATE\tTIER\tSTATE\tFOR\tHAND\tREQUESTS\tEXERCISED\tSAVES\tBY")
	for _, t := range all {
		state, since := "off", "-"
		if t.On {
			state = "on"
		}
		if t.Failing {
			state += ", its fallback fails"
		}
		if t.Ups > 0 {
			since = now.Sub(t.Since).Round(time.Second).String()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", t.Gate, t.Name, state, since, t.Mode, t.Requests, t.Exercised, saves(&t.TierStatus), by(t.Person))
	}
	return w.Flush()
}

// saves is by how much the cheaper way is quicker on the mean; "-": not known.
func saves(t *telemetry.TierStatus) string {
	if t.Full.Calls == 0 || t.Cheaper.Calls == 0 {
		return "-"
	}
	saved := t.Full.Seconds/float64(t.Full.Calls) - t.Cheaper.Seconds/float64(t.Cheaper.Calls)
	return strconv.FormatFloat(1000*saved, 'f', 1, 64) + "ms"
}

// by is who has switched a tier last, and when.
func by(p *telemetry.Person) string {
	if p == nil {
		return "-"
	}
	who := p.From
	if p.By != "" {
		who = p.By + " (" + p.From + ")"
	}
	return who + " at " + p.At.UTC().Format(time.RFC3339)
}
