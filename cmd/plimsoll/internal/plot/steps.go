package plot

import (
	"fmt"
	"strconv"
	"strings"
)

// Steps draws values that hold until the next: each for step, the first from 0
// on, the last up to end. Only where one differs from the one before it to be
// seen does it cost anything.
func (f Frame) Steps(b *strings.Builder, class string, step, end float64, values []float64) {
	if len(values) == 0 {
		return
	}
	var path strings.Builder
	before := tenth(f.Y(values[0]))
	fmt.Fprintf(&path, "M%s %s", tenth(f.X(0)), before)
	for i, v := range values {
		if y := tenth(f.Y(v)); y != before {
			fmt.Fprintf(&path, "H%sV%s", tenth(f.X(float64(i)*step)), y)
			before = y
		}
	}
	fmt.Fprintf(b, `<path class="%s" d="%sH%s"/>`+"\n", class, path.String(), tenth(f.X(end)))
}

// tenth is a number to a tenth, as short as it can be written.
func tenth(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}
