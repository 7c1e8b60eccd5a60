package meter

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which proc(5) counts processor time: USER_HZ is 100 on
// every platform of Go.
const tick = 10 * time.Millisecond

// Idle is how long processors had nothing to do since the machine began, by
// proc(5). False: the system does not tell.
func Idle() (time.Duration, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	return parseIdle(string(text))
}

func parseIdle(stat string) (time.Duration, bool) {
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

// LoadAverage is how many threads wanted a processor in the last minute; empty where the system has none.
func LoadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}
