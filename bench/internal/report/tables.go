package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll-go/plimsoll/bench/internal/table"
)

// tables lays the report out.
func (r *Report) tables() []table.Rows {
	var ts []table.Rows
	for _, g := range r.Groups {
		t := table.Rows{{
			g.Title, "ns", "x peer", "x floor", fmt.Sprintf("ns, %d goroutines", r.Goroutines), "x peer", "x floor", "allocs", "bytes",
		}}
		for _, row := range g.Rows {
			name := row.Name
			if name == g.Peer {
				name += " (the peer)"
			}
			t = append(t, []string{
				name, ns(row.Alone.NS), times(row.Alone.XPeer), times(row.Alone.XFloor),
				ns(row.Crowd.NS), times(row.Crowd.XPeer), times(row.Crowd.XFloor),
				count(row.Alone.Allocs), count(row.Alone.Bytes),
			})
		}
		ts = append(ts, t)
	}
	if len(r.HTTP) > 0 {
		t := table.Rows{{
			"HTTP request", "CPU us", "req per CPU s, of bare (quartiles)", "in memory: CPU us", "of bare (quartiles)", "allocs", "more than bare",
		}}
		for _, w := range r.HTTP {
			t = append(t, []string{
				w.Name, fmt.Sprintf("%.1f", w.Loopback.CPUMicros), between(w.Loopback),
				fmt.Sprintf("%.2f", w.Memory.CPUMicros), between(w.Memory),
				count(w.Memory.Allocs), count(w.Memory.AllocsMore),
			})
		}
		ts = append(ts, t)
	}
	if len(r.Calls) > 0 {
		ts = append(ts, r.callTable())
	}
	if len(r.Relays) > 0 {
		ts = append(ts, r.relayTable())
	}
	if len(r.Loads) > 0 {
		ts = append(ts, r.loadTable())
	}
	if len(r.Targets) > 0 {
		t := table.Rows{{"target", "to hold", "measured", ""}}
		for _, c := range r.Targets {
			verdict := "held"
			if !c.Held {
				verdict = "MISSED"
			}
			t = append(t, []string{c.What, c.Want, fmt.Sprintf("%.3g", c.Have), verdict})
		}
		ts = append(ts, t)
	}
	return ts
}

// relayTable is about the proxy: time and allocations are those of its process.
func (r *Report) relayTable() table.Rows {
	t := table.Rows{{
		fmt.Sprintf("proxy, %d pairs", r.RelayPairs), "beside", "CPU us", "x in CPU", "req/s, x (quartiles)", "allocs", "more",
	}}
	for _, w := range r.Relays {
		t = append(t, []string{
			w.Name, w.Beside, fmt.Sprintf("%.1f", w.CPUMicros), times(w.CPUTimes),
			fmt.Sprintf("%.2f (%.2f-%.2f)", w.Throughput, w.Low, w.High), count(w.Allocs), count(w.AllocsMore),
		})
	}
	return t
}

// heading says what the figures come from.
func (r *Report) heading() string {
	if len(r.Loads) > 0 {
		return fmt.Sprintf("%s on %s, %d processors; medians of %d rounds, in which each has its turn; CPU is what a request costs the generator.",
			r.Go, r.Platform, r.Processors, r.LoadRounds)
	}
	return fmt.Sprintf("%s on %s, %d processors; medians of %d rounds and of %d pairs for HTTP, interleaved; ns are of processor time.",
		r.Go, r.Platform, r.Processors, r.Rounds, r.Pairs)
}

func ns(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func times(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}

// between is a ratio with its quartiles.
func between(r Request) string {
	return fmt.Sprintf("%.2f (%.2f-%.2f)", r.Throughput, r.Low, r.High)
}

// count rounds what the runtime allocates now and then away.
func count(v float64) string { return fmt.Sprintf("%.0f", math.Round(v)+0) }

// Text is for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	b.WriteString(r.heading() + "\n")
	for _, t := range r.tables() {
		b.WriteString("\n")
		b.WriteString(t.Text(""))
	}
	return b.String()
}

// Markdown is for a README. The command is what measures it again.
func (r *Report) Markdown(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured by `%s`: %s\n", command, r.heading())
	for _, t := range r.tables() {
		b.WriteString("\n")
		b.WriteString(t.Markdown())
	}
	return b.String()
}
