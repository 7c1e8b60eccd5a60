package cache

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzControl: whatever is in Cache-Control, nothing that forbids is missed, and
// no time is outside its range.
func FuzzControl(f *testing.F) {
	for _, s := range []string{"max-age=1", `no-cache="a, no-store", private`, "max-age=\"5", "stale-if-error=99999999999999999999", ",,=,\"\\", "max-stale", "max-stale=\"\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := parseControl([]string{s})
		for _, v := range []seconds{c.maxAge, c.sMaxAge, c.minFresh, c.maxStale, c.staleIfError, c.staleWhileRevalidate} {
			if v.d < 0 || v.d > forever || v.d != 0 && (!v.given || v.bad) {
				t.Errorf("%q: %+v", s, v)
			}
		}
		if !strings.Contains(s, `"`) {
			want := directivesOf(http.Header{"Cache-Control": {s}})
			for name, got := range map[string]bool{"no-store": c.noStore, "private": c.private, "no-cache": c.noCache, "must-revalidate": c.mustRevalidate, "max-age": c.maxAge.given} {
				if has(want, name) && !got {
					t.Errorf("%q: %s is missed", s, name)
				}
			}
		}
		if again := parseControl([]string{s, s}); again.noStore != c.noStore || again.maxAge != c.maxAge {
			t.Errorf("%q says something else when said twice", s)
		}
	})
}

// FuzzAge: whatever dates and ages an answer has, it is at least as old as the
// time since it was asked for, and never becomes younger.
func FuzzAge(f *testing.F) {
	f.Add("Sat, 01 Jan 2000 00:00:00 GMT", "Sat, 01 Jan 2000 00:01:00 GMT", "5", "max-age=60", uint16(100))
	f.Add("Saturday, 01-Jan-00 00:00:00 EST", "0", "5, 6", "", uint16(0))
	f.Add("Mon, 01 Jan 0001 00:00:00 GMT", "0", "99999999999999999999", "max-age=1", uint16(1))
	f.Add("Sat Jan  1 00:00:00 2000", "-1", "99999999999999999999", "s-maxage=1", uint16(0))
	f.Fuzz(func(t *testing.T, date, expires, age, control string, delay uint16) {
		came := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		at := exchange{came.Add(-time.Duration(delay) * time.Millisecond), came}
		h := http.Header{"Date": {date}, "Expires": {expires}, "Age": {age}, "Cache-Control": {control}, "Etag": {`"1"`}}
		e := newEntry(200, http.Header{}, h, at, grant{})
		if e == nil {
			return // too long
		}
		e = e.withBody(nil)
		if e.age < came.Sub(at.asked) || e.terms.lifetime < 0 || e.terms.lifetime > forever {
			t.Errorf("age %v, %+v", e.age, e.terms)
		}
		if e.ageAt(came.Add(-time.Hour)) < e.age || e.ageAt(came.Add(time.Hour)) != e.age+time.Hour || e.age+time.Hour < e.age {
			t.Errorf("age %v, then %v", e.age, e.ageAt(came.Add(time.Hour)))
		}
		if _, ok := parseDate(e.header["Date"]); !ok {
			t.Errorf("date %q", e.header["Date"])
		}
	})
}

// FuzzVary: what differs only in blanks and case of names is the same, and no
// key is longer than its bound.
func FuzzVary(f *testing.F) {
	f.Add("Accept, X-A", "gzip, br", "x")
	f.Add("*", "", "")
	f.Add("accept-encoding,,", " BR;q=1 ,gzip", "\n=")
	f.Add("Accept", strings.Repeat("\xff", 1<<10)+"A", "")
	f.Fuzz(func(t *testing.T, vary, accept, other string) {
		names, ok := varyNames([]string{vary})
		if !ok {
			return
		}
		if len(names) > maxVaryNames {
			t.Errorf("%d names", len(names))
		}
		h := http.Header{"Accept": {accept}, "X-A": {other}}
		key, ok := varyKey(names, h)
		spaced, ok2 := varyKey(names, http.Header{"Accept": {" " + accept + "\t"}, "X-A": {other}})
		if ok && ok2 && key != spaced || len(key) > maxVaryBytes+2*maxVaryNames {
			t.Errorf("%q and %q for %q", key, spaced, names)
		}
	})
}

// What is not ASCII is opaque: bytes that are no UTF-8 are not the same bytes
// because of that, and U+212A is no k.
func TestOpaqueBytes(t *testing.T) {
	keys := map[string]string{}
	for _, v := range []string{"a\xff", "a\xfe", "a\uFFFD", "k", "\u212A"} {
		key, ok := varyKey([]string{"Accept-Language"}, http.Header{"Accept-Language": {v}})
		if before, there := keys[key]; there || !ok {
			t.Errorf("%q and %q are the same", before, v)
		}
		keys[key] = v
	}
	if a, b := lower("AZ[@\xC0"), "az[@\xC0"; a != b {
		t.Errorf("have %q, want %q", a, b)
	}
}
