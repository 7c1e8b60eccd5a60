package top

import "strings"

// history is the goodput of the last looks, the newest last.
type history struct {
	values []float64
	most   int
}

func (h *history) add(v float64) {
	h.values = append(h.values, v)
	if len(h.values) > h.most {
		h.values = h.values[len(h.values)-h.most:]
	}
}

const blocks = "▁▂▃▄▅▆▇█"

// spark draws the newest values that fit, from zero to the highest of them.
func spark(values []float64, width int) string {
	if len(values) > width {
		values = values[len(values)-max(width, 0):]
	}
	high := 0.0
	for _, v := range values {
		high = max(high, v)
	}
	steps := []rune(blocks)
	var out strings.Builder
	for _, v := range values {
		i := 0
		if high > 0 {
			i = int(v / high * float64(len(steps)-1))
		}
		out.WriteRune(steps[i])
	}
	return out.String()
}
