package top

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// style paints text, or leaves it as it is.
type style struct{ colour bool }

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (s style) paint(code, text string) string {
	if !s.colour || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// line is text with a colour for all of it: what is cut to a width must not be
// cut inside of a colour's code.
type line struct{ code, text string }

// picture is all that is known, as lines no wider than width.
func picture(b *Between, past []float64, width int, s style) []string {
	var lines []line
	add := func(code, format string, args ...any) {
		lines = append(lines, line{code, fmt.Sprintf(format, args...)})
	}
	state := "ready"
	if !b.Ready {
		state = "NOT READY: " + b.Why
	}
	add(bold, "%s   %s   up %s   %s", b.Name, state, age(b.At.Sub(b.Since)), b.At.UTC().Format("2006-01-02 15:04:05 MST"))
	if b.Reload.Fault != "" {
		add(red, "configuration not in force: %s", firstLine(b.Reload.Fault))
	}
	for i := range b.Gates {
		lines = append(lines, gateLines(&b.Gates[i], past, len(b.Gates) == 1, width)...)
		lines = append(lines, tierLines(&b.Gates[i], b.At)...)
	}
	if len(b.Gates) > 1 {
		lines = append(lines, line{green, "goodput of all  " + spark(past, width-16)})
	}
	lines = append(lines, routeLines(b.Routes, width)...)
	lines = append(lines, upstreamLines(b.Upstreams, width)...)
	lines = append(lines, callsLines(b.Upstreams)...)
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = s.paint(l.code, cut(l.text, width))
	}
	return out
}

// gateLines are those of one gate.
func gateLines(g *Gate, past []float64, only bool, width int) []line {
	out := []line{
		{"", ""},
		{bold, fmt.Sprintf("gate %s   limit %d   in flight %d   waiting %d of %d   streams %d", g.Name, g.Limit, g.InFlight, g.Depth, g.QueueBound, g.Streams)},
		{"", fmt.Sprintf("utilisation %s   predicted wait %s   wasted work %s%s", percent(g.Utilisation), seconds(g.Predicted), percent(g.Wasted), states(g))},
	}
	if g.Wasted > 0.1 || stuck(g.All) {
		out[2].code = red
	}
	if only {
		out = append(out, line{green, "goodput  " + spark(past, width-9)})
	}
	rows := [][]string{{"class", "goodput/s", "refused/s", "offered/s", "through/s", "late/s", "failed/s", "waiting", "wait p50", "wait p99", "took p99"}}
	for _, c := range g.Classes {
		rows = append(rows, append(flow(c.Name, c.Flow), strconv.Itoa(c.Depth), c.WaitP50.String(), c.WaitP99.String(), c.Took99.String()))
	}
	rows = append(rows, append(flow("all", g.All), strconv.Itoa(g.Depth), "", "", ""))
	for i, text := range table(rows, width) {
		code := ""
		switch {
		case i == 0:
			code = dim
		case i == len(rows)-1:
			code = bold
		case g.Classes[i-1].Refused > 0 && strings.HasPrefix(g.Classes[i-1].Name, "CRITICAL"):
			code = red
		case g.Classes[i-1].Refused > 0:
			code = yellow
		}
		out = append(out, line{code, text})
	}
	if len(g.Reasons) > 0 {
		out = append(out, line{yellow, "refused for  " + reasons(g.Reasons)})
	}
	return out
}

// stuck reports whether most of what is served reaches nobody.
func stuck(f Flow) bool { return f.Late > 1 && f.Late > f.Goodput }

// busy reports whether a gate that counts as saturated has much to do: a fixed
// limit counts so always.
func busy(g *Gate) bool { return g.Saturated && (g.QueueDepth > 0 || 2*g.InFlight >= g.Limit) }

// states are those that a gate is in and that are not the ordinary ones, the
// alarming ones first: a narrow screen cuts the end.
func states(g *Gate) string {
	var out string
	for _, s := range []struct {
		is   bool
		name string
	}{
		{stuck(g.All), "STUCK: most of what is served reaches nobody"}, {g.Recovering, "RECOVERING"}, {g.Draining, "draining"},
		{g.OverdueSlots > 0, fmt.Sprintf("%d slots leaked", g.OverdueSlots)}, {busy(g), "saturated"}, {g.NewestFirst, "newest first"},
	} {
		if s.is {
			out += "   " + s.name
		}
	}
	return out
}

func flow(name string, f Flow) []string {
	return []string{name, rate(f.Goodput), rate(f.Refused), rate(f.Offered), rate(f.Throughput), rate(f.Late), rate(f.Failed)}
}

// reasons lists rates, the highest first.
func reasons(of map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		if of[a] != of[b] {
			return int(math.Copysign(1, of[b]-of[a]))
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = name + " " + rate(of[name])
	}
	return strings.Join(names, "   ")
}

func routeLines(routes []Route, width int) []line {
	if len(routes) == 0 {
		return nil
	}
	rows := [][]string{{"route", "goodput/s", "refused/s", "ended/s", "took p99", "attempts", "gate"}}
	for _, r := range routes {
		attempts := ""
		if r.Attempts > 0 {
			attempts = strconv.FormatFloat(r.Attempts, 'f', 2, 64)
		}
		rows = append(rows, []string{r.Name, rate(r.Goodput), rate(r.Refused), rate(r.Ended), r.Took99.String(), attempts, r.Gate})
	}
	return section(rows, width, func(int) string { return "" })
}

func upstreamLines(upstreams []Upstream, width int) []line {
	rows := [][]string{{"upstream", "endpoint", "state", "in flight", "requests/s", "failures/s", "overloads/s"}}
	var codes []string
	for _, u := range upstreams {
		for _, e := range u.Endpoints {
			state, code := "up", ""
			if e.Ejected {
				state, code = "ejected", red
			}
			rows = append(rows, []string{u.Name, e.URL, state, strconv.Itoa(e.InFlight), rate(e.Requests), rate(e.Failures), rate(e.Overloads)})
			codes = append(codes, code)
		}
	}
	if len(rows) == 1 {
		return nil
	}
	return section(rows, width, func(i int) string { return codes[i] })
}

// section is a table under a blank line, its head dim.
func section(rows [][]string, width int, code func(i int) string) []line {
	out := []line{{"", ""}}
	for i, text := range table(rows, width) {
		if i == 0 {
			out = append(out, line{dim, text})
			continue
		}
		out = append(out, line{code(i - 1), text})
	}
	return out
}

// table lays rows out, the first column to the left and the others to the
// right, and leaves out the last columns that do not fit.
func table(rows [][]string, width int) []string {
	const gap = 2
	var widths []int
	total := 0
	for column := range rows[0] {
		w := 0
		for _, row := range rows {
			w = max(w, utf8.RuneCountInString(row[column]))
		}
		if total += w + gap; total-gap > width && column > 1 {
			break
		}
		widths = append(widths, w)
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for column, w := range widths {
			pad := strings.Repeat(" ", w-utf8.RuneCountInString(row[column]))
			if column == 0 {
				b.WriteString(row[column] + pad)
				continue
			}
			b.WriteString("  " + pad + row[column])
		}
		out[i] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// plain is one line for each gate: what is printed where there is no terminal.
func plain(b *Between) []string {
	var out []string
	for i := range b.Gates {
		g := &b.Gates[i]
		text := fmt.Sprintf("%s gate=%s goodput=%s throughput=%s offered=%s refused=%s late=%s failed=%s limit=%d in_flight=%d waiting=%d predicted=%s utilisation=%s wasted=%s",
			b.At.UTC().Format(time.RFC3339), g.Name, rate(g.All.Goodput), rate(g.All.Throughput), rate(g.All.Offered), rate(g.All.Refused),
			rate(g.All.Late), rate(g.All.Failed), g.Limit, g.InFlight, g.Depth, seconds(g.Predicted), percent(g.Utilisation), percent(g.Wasted))
		for _, c := range g.Classes {
			if c.Refused > 0 {
				text += fmt.Sprintf(" refused_%s=%s", c.Name, rate(c.Refused))
			}
		}
		out = append(out, text)
	}
	return out
}

func rate(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 9.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + "%" }

// String is the bound as a duration: "<=25ms", ">10s", "" for nothing.
func (b Bound) String() string {
	switch {
	case b == 0:
		return "-"
	case b < 0:
		return ">10s"
	}
	return "<=" + seconds(float64(b))
}

func seconds(v float64) string {
	d := time.Duration(v * float64(time.Second))
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// age is a duration in its two largest units.
func age(d time.Duration) string {
	d = d.Round(time.Second)
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days > 0:
		return fmt.Sprintf("%dd%dh", days, hours)
	case hours > 0:
		return fmt.Sprintf("%dh%dm", hours, minutes)
	case minutes > 0:
		return fmt.Sprintf("%dm%ds", minutes, int(d.Seconds())%60)
	}
	return fmt.Sprintf("%ds", int(d.Seconds()))
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// cut shortens text to a width.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(width-1, 0)]) + "…"
}
