package retry

import (
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// After reads the values of Retry-After (RFC 9110, section 10.2.3): how long a
// server asks to stay away. Of several values, the longest counts. A date counts
// from the answer's own Date, the value of which is date, or, where that is
// missing or unreadable, from local, the time here.
//
// What asks for nothing is 0: no value, zero, a date that has passed, and what
// cannot be read. The caller then backs off as it would without. Seconds too
// many for a [time.Duration] are [class.Forever], which [Policy] cuts.
func After(values []string, date string, local time.Time) time.Duration {
	var longest time.Duration
	for _, v := range values {
		v = strings.Trim(v, " \t")
		var d time.Duration
		// What begins with a digit is never a date, and what is no whole number
		// of seconds is never rounded to one: "1.5" is not read at all.
		if v != "" && v[0] >= '0' && v[0] <= '9' {
			d = seconds(v)
		} else if at, ok := httpDate(v, local); ok {
			from, ok := httpDate(strings.Trim(date, " \t"), local)
			if !ok {
				from = local
			}
			d = at.Sub(from) // which saturates
		}
		longest = max(longest, d)
	}
	return longest
}

// seconds reads delay-seconds: digits only; 0 where there is anything else.
func seconds(v string) time.Duration {
	n := int64(0)
	for i := range len(v) {
		c := v[i]
		if c < '0' || c > '9' {
			return 0
		}
		// Past this, no number of digits makes it shorter again.
		n = min(n*10+int64(c-'0'), 1e12)
	}
	return class.Units(n, time.Second)
}

// The forms of HTTP-date (RFC 9110, section 5.6.7): the one to be sent, and two
// that are to be understood.
const (
	imfDate    = "Mon, 02 Jan 2006 15:04:05 GMT"
	rfc850Date = "Monday, 02-Jan-06 15:04:05 GMT"
	ascDate    = "Mon Jan _2 15:04:05 2006"
)

// httpDate reads a date in any of its three forms.
func httpDate(v string, local time.Time) (time.Time, bool) {
	if v == "" || v[0] > 'Z' || v[0] < 'A' {
		return time.Time{}, false // no weekday begins so: time.Parse would make an error at some cost
	}
	for _, form := range []string{imfDate, ascDate} {
		if at, err := time.Parse(form, v); err == nil {
			return at, true
		}
	}
	at, err := time.Parse(rfc850Date, v)
	if err != nil {
		return time.Time{}, false
	}
	return century(at, local), true
}

// century puts a year of two digits into the century that is meant: a date more
// than fifty years ahead is the latest past one with these digits.
func century(at, local time.Time) time.Time {
	years := local.Year()/100*100 + at.Year()%100 - at.Year()
	at = at.AddDate(years, 0, 0)
	switch ahead := at.Sub(local); {
	case ahead > fifty:
		return at.AddDate(-100, 0, 0)
	case ahead <= -fifty:
		return at.AddDate(100, 0, 0)
	}
	return at
}

const fifty = 50 * 365 * 24 * time.Hour
