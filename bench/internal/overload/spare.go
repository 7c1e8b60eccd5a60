package overload

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// spare returns what says how many processors this process has used, together
// with those that nobody has used: how many it could have had since. False: the
// system does not tell.
func spare() func() (processors float64, ok bool) {
	start := time.Now()
	unused, _ := idle()
	before := meter.CPU() + unused
	return func() (float64, bool) {
		unused, ok := idle()
		return (meter.CPU() + unused - before).Seconds() / time.Since(start).Seconds(), ok
	}
}

// idle is how long processors had nothing to do since the machine began, by
// proc(5).
func idle() (time.Duration, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	return parseIdle(string(text))
}

func parseIdle(stat string) (time.Duration, bool) {
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every platform of Go
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line) // cpu user nice system idle iowait ...
	if len(fields) < 6 || fields[0] != "cpu" {
		return 0, false
	}
	n := int64(0)
	for _, f := range fields[4:6] {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, false
		}
		n += v
	}
	return time.Duration(n) * tick, true
}
