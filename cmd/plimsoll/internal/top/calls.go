package top

import (
	"fmt"
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// callsLines are one for each upstream with retries, a breaker or a throttle.
func callsLines(upstreams []Upstream) (out []line) {
	for _, u := range upstreams {
		c := u.Calls
		if c == nil {
			continue
		}
		text, code := "calls "+u.Name, ""
		if c.Amplification > 0 {
			text += "   attempts per request " + strconv.FormatFloat(c.Amplification, 'f', 2, 64)
			if c.Amplification > 1.1 {
				code = yellow
			}
		}
		if c.Balance != nil {
			text += fmt.Sprintf("   retries left %.0f", *c.Balance)
		}
		for lane := class.Count - 1; lane >= 0; lane-- {
			name := class.FromLane(lane).String()
			b, ok := c.Breakers[name]
			if ok && b.State != "closed" {
				text += fmt.Sprintf("   breaker %s %s for %s", name, b.State, age(time.Duration(b.Age*float64(time.Second))))
				code = red
			}
		}
		if code != red && c.Breakers != nil {
			text += "   breakers closed"
		}
		if len(c.Ended) > 0 {
			text += "   ended for  " + reasons(c.Ended)
		}
		out = append(out, line{code, text})
	}
	return out
}
