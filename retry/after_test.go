package retry

import (
	"math"
	"testing"
	"time"
)

// TestH08RetryAfterInEveryForm: seconds, the three forms of a date, and what is
// neither.
func TestH08RetryAfterInEveryForm(t *testing.T) {
	local := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	const date = "Mon, 30 Nov 2026 11:59:00 GMT" // a minute behind the clock here
	const forever = time.Duration(math.MaxInt64)
	for _, tc := range []struct {
		values []string
		date   string
		want   time.Duration
	}{
		{nil, date, 0},
		{[]string{"120"}, date, 120 * time.Second},
		{[]string{" 120\t"}, date, 120 * time.Second},
		{[]string{"0"}, date, 0},
		{[]string{"-5"}, date, 0},
		{[]string{"+5"}, date, 0},
		{[]string{"1.5"}, date, 0},
		{[]string{"5s"}, date, 0},
		{[]string{"1e3"}, date, 0},
		{[]string{"120, 60"}, date, 0},
		{[]string{""}, date, 0},
		{[]string{"soon"}, date, 0},
		{[]string{"Soon"}, date, 0},
		{[]string{"٣"}, date, 0},
		{[]string{"99999999999999999999"}, date, forever},
		{[]string{"9223372036"}, date, 9223372036 * time.Second},
		{[]string{"9223372037"}, date, forever},
		{[]string{"60", "120"}, date, 120 * time.Second},
		{[]string{"120", "soon"}, date, 120 * time.Second},
		{[]string{"Mon, 30 Nov 2026 11:59:30 GMT"}, date, 30 * time.Second},
		{[]string{"Monday, 30-Nov-26 11:59:30 GMT"}, date, 30 * time.Second},
		{[]string{"Mon Nov 30 11:59:30 2026"}, date, 30 * time.Second},
		{[]string{"Tue Dec  1 11:59:00 2026"}, date, 24 * time.Hour},
		{[]string{"Mon, 30 Nov 2026 12:00:30 GMT"}, "", 30 * time.Second},
		{[]string{"Mon, 30 Nov 2026 12:00:30 GMT"}, "yesterday", 30 * time.Second},
		{[]string{"Mon, 30 Nov 2026 11:58:59 GMT"}, date, 0},
		{[]string{"Thu, 01 Jan 1970 00:00:00 GMT"}, date, 0},
		{[]string{"Fri, 31 Dec 9999 23:59:59 GMT"}, date, forever},
		{[]string{"Mon, 30 Nov 2026 11:59:30 CET"}, date, 0},
		{[]string{"Mon, 30 Feb 2026 11:59:30 GMT"}, date, 0},
		// Two digits of a year: more than fifty years ahead is past.
		{[]string{"Saturday, 30-Nov-30 11:59:00 GMT"}, date, (4*365 + 1) * 24 * time.Hour},
		{[]string{"Monday, 30-Nov-70 11:59:00 GMT"}, date, (44*365 + 11) * 24 * time.Hour},
		{[]string{"Wednesday, 30-Nov-94 11:59:00 GMT"}, date, 0},
	} {
		if got := After(tc.values, tc.date, local); got != tc.want {
			t.Errorf("%q at %q: %v, want %v", tc.values, tc.date, got, tc.want)
		}
	}
}

func FuzzAfter(f *testing.F) {
	for _, v := range []string{"120", "-5", "1.5", "99999999999999999999", "soon", "Mon, 30 Nov 2026 11:59:30 GMT", "Monday, 30-Nov-26 11:59:30 GMT", "Tue Dec  1 11:59:00 2026"} {
		f.Add(v, "0", "Mon, 30 Nov 2026 11:59:00 GMT", int64(1796040000))
		f.Add("1", v, v, int64(-1)<<40)
	}
	f.Fuzz(func(t *testing.T, one, two, date string, local int64) {
		now := time.Unix(local%(1<<40), 0).UTC()
		a, b := After([]string{one}, date, now), After([]string{two}, date, now)
		if a < 0 || b < 0 {
			t.Fatalf("%v, %v", a, b)
		}
		if both := After([]string{one, two}, date, now); both != max(a, b) {
			t.Fatalf("%v of both, of each %v and %v", both, a, b)
		}
		digits := one != ""
		for _, c := range []byte(one) {
			digits = digits && c >= '0' && c <= '9'
		}
		if digits && len(one) < 10 {
			var n time.Duration
			for _, c := range []byte(one) {
				n = n*10 + time.Duration(c-'0')
			}
			if a != n*time.Second {
				t.Fatalf("%q: %v", one, a)
			}
		}
	})
}

func TestPushback(t *testing.T) {
	for _, tc := range []struct {
		values []string
		want   time.Duration
	}{
		{nil, 0}, {[]string{"0"}, 0}, {[]string{"1500"}, 1500 * ms}, {[]string{"2147483647"}, math.MaxInt32 * ms},
		{[]string{"-1"}, NoRetry}, {[]string{"-9"}, NoRetry}, {[]string{""}, NoRetry}, {[]string{"soon"}, NoRetry},
		{[]string{"1.5"}, NoRetry}, {[]string{" 5"}, NoRetry}, {[]string{"2147483648"}, NoRetry},
		{[]string{"99999999999999999999"}, NoRetry}, {[]string{"5", "5"}, NoRetry},
	} {
		if got := Pushback(tc.values); got != tc.want {
			t.Errorf("%q: %v, want %v", tc.values, got, tc.want)
		}
	}
}

func FuzzPushback(f *testing.F) {
	f.Add("5", "")
	f.Add("-1", "7")
	f.Fuzz(func(t *testing.T, one, two string) {
		if d := Pushback([]string{one}); d != NoRetry && (d < 0 || d > math.MaxInt32*ms) {
			t.Fatalf("%q: %v", one, d)
		}
		if d := Pushback([]string{one, two}); d != NoRetry {
			t.Fatalf("two values: %v", d)
		}
	})
}
