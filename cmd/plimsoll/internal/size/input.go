package size

import (
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// kind is what a flag may hold. Its bounds keep every figure that is computed
// from it finite.
type kind struct {
	what  string
	holds func(v float64) bool
}

var (
	perSecond   = kind{"a number per second, from 0.000001 to 1000000000", within(1e-6, 1e9)}
	perSecond0  = kind{"a number per second, 0 or from 0.000001 to 1000000000", func(v float64) bool { return v == 0 || v >= 1e-6 && v <= 1e9 }}
	share       = kind{"a share from 0 to 1, such as 0.1", within(0, 1)}
	shareAbove0 = kind{"a share above 0, at most 1, such as 0.99", func(v float64) bool { return v > 0 && v <= 1 }}
	shareBelow1 = kind{"a share from 0 to below 1, such as 0.01", func(v float64) bool { return v >= 0 && v < 1 }}
	percentile  = kind{"a percentile from 50 to 99.9999", within(50, 99.9999)}
	variation   = kind{"a standard deviation over its mean, from 0 to 100", within(0, 100)}
	headroom    = kind{"a factor from 1 to 100, such as 1.5", within(1, 100)}
	multiple    = kind{"a multiple of the service time above 1, at most 1000000", func(v float64) bool { return v > 1 && v <= 1e6 }}
	utilization = kind{"a share of the time above 0, at most 1000, such as 0.8", func(v float64) bool { return v > 0 && v <= 1000 }}
	load        = kind{"a multiple of the capacity above 0, at most 1000000", func(v float64) bool { return v > 0 && v <= 1e6 }}
)

func within(least, most float64) func(float64) bool {
	return func(v float64) bool { return v >= least && v <= most }
}

// maxCount bounds workers, slots, places, clients and bursts.
const maxCount = 1 << 20

// input reads flags and collects every fault in them. A flag that was not
// given has the empty text and reads as zero.
type input struct{ faults strict.Faults }

// fault says what is wanted of a flag.
func (in *input) fault(flag, want string) {
	in.faults = append(in.faults, strict.Fault{Key: "--" + flag, Want: "want " + want})
}

// required says so when a flag was not given, and reports whether it was.
func (in *input) required(flag, text, what string) bool {
	if text == "" {
		in.fault(flag, what)
	}
	return text != ""
}

// number reads an optional number.
func (in *input) number(flag, text string, k kind) float64 {
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !k.holds(v) {
		in.fault(flag, k.what+", have "+text)
		return 0
	}
	return v
}

// needNumber reads a number that has to be given.
func (in *input) needNumber(flag, text string, k kind) float64 {
	in.required(flag, text, k.what)
	return in.number(flag, text, k)
}

// count reads an optional whole number.
func (in *input) count(flag, text string, least, most int) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		in.fault(flag, wholeNumber(least, most)+", have "+text)
		return 0
	}
	return n
}

// needCount reads a whole number that has to be given.
func (in *input) needCount(flag, text string, least, most int) int {
	in.required(flag, text, wholeNumber(least, most))
	return in.count(flag, text, least, most)
}

func wholeNumber(least, most int) string {
	return "a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)
}

const (
	aDuration = "a duration above 0, at most 8760h; it needs a unit right behind the number, such as 500ms, 2s or 1h30m"
	maxTime   = 8760 * time.Hour
)

// duration reads an optional duration above zero: a subject takes zero for
// not known. Not even zero does without a unit.
func (in *input) duration(flag, text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || text[0] == '+' || d <= 0 || d > maxTime {
		in.fault(flag, aDuration+", have "+text)
		return 0
	}
	return d
}

// needDuration reads a duration that has to be given.
func (in *input) needDuration(flag, text string) time.Duration {
	in.required(flag, text, aDuration)
	return in.duration(flag, text)
}

// with says that a flag means nothing without another.
func (in *input) with(flag, text, other, otherText string) {
	if text != "" && otherText == "" {
		in.fault(flag, "--"+other+" beside it, without which it means nothing")
	}
}

// err returns the faults, nil when there are none.
func (in *input) err() error { return in.faults.Err() }
