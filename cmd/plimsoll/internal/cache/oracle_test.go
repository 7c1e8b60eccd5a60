package cache

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// exam is two requests for one target, and the answer to the first: what RFC 9111
// has a shared cache do with the second. Times are in seconds of one clock.
type exam struct {
	askedAt, cameAt float64 // the first request, and its answer
	nowAt           float64 // the second request
	answer          http.Header
	first, second   http.Header
	fails           bool // asked the second time, the service has an error
}

// what the second request gets.
type reading struct {
	stored bool // the first answer may be stored
	reused bool // and is the answer to the second request
	why    string
	age    int // in it
}

// read is a plain reading of RFC 9111, sections 3, 4.2 and 5.2, and of RFC 5861: slow,
// and on purpose written from the text, in its words and order.
func (x exam) read() reading {
	cc, rq1, rq2 := directivesOf(x.answer), directivesOf(x.first), directivesOf(x.second)

	// 3. Storing Responses in Caches
	explicit := has(cc, "s-maxage") || has(cc, "max-age") || len(x.answer["Expires"]) > 0
	sharedWithAuthorization := has(cc, "must-revalidate") || has(cc, "public") || has(cc, "s-maxage")
	stored := !has(rq1, "no-store") &&
		!has(cc, "no-store") &&
		!has(cc, "private") &&
		(len(x.first["Authorization"]) == 0 || sharedWithAuthorization) &&
		(explicit || has(cc, "public"))
	if !stored {
		return reading{why: "not stored"}
	}

	// 4.2.1. Calculating Freshness Lifetime
	date := math.Floor(x.cameAt)
	if len(x.answer["Date"]) > 0 {
		date = unix(x.answer["Date"][0])
	}
	lifetime := 0.0
	switch {
	case has(cc, "s-maxage"):
		lifetime = worst(cc["s-maxage"])
	case has(cc, "max-age"):
		lifetime = worst(cc["max-age"])
	case len(x.answer["Expires"]) > 0:
		if expires := unix(x.answer["Expires"][0]); !math.IsNaN(expires) {
			lifetime = math.Max(0, expires-date)
		}
	}

	// 4.2.3. Calculating Age
	ageValue := 0.0
	if v := x.answer["Age"]; len(v) > 0 {
		if n := strings.TrimSpace(strings.Split(v[0], ",")[0]); number.MatchString(n) {
			ageValue = atLeast31(n)
		}
	}
	apparentAge := math.Max(0, x.cameAt-date)
	responseDelay := x.cameAt - x.askedAt
	correctedAgeValue := ageValue + responseDelay
	correctedInitialAge := math.Max(apparentAge, correctedAgeValue)
	residentTime := x.nowAt - x.cameAt
	currentAge := correctedInitialAge + residentTime
	age := int(math.Floor(currentAge + 1e-6))
	fresh := lifetime > currentAge+1e-9
	staleness := currentAge - lifetime

	reuse := func(yes bool, why string) reading {
		return reading{stored: true, reused: yes, why: why, age: age}
	}
	failing := func() reading {
		if !x.fails {
			return reuse(false, "asks")
		}
		// RFC 5861 4, RFC 9111 4.2.4: not if prohibited, and not who wants no stored answer.
		if has(cc, "no-cache") || has(rq2, "no-cache") {
			return reuse(false, "asks")
		}
		if fresh {
			return reuse(true, "error, still fresh")
		}
		if has(cc, "must-revalidate") || has(cc, "proxy-revalidate") {
			return reuse(false, "asks")
		}
		window := 0.0
		if has(cc, "stale-if-error") {
			window = worst(cc["stale-if-error"])
		}
		if has(rq2, "stale-if-error") && !has(cc, "s-maxage") {
			window = math.Max(window, worst(rq2["stale-if-error"]))
		}
		return reuse(window > 0 && staleness <= window+1e-9, "error")
	}

	// 3.5. Storing Responses to Authenticated Requests
	if len(x.second["Authorization"]) > 0 && !sharedWithAuthorization {
		return reuse(false, "authorized")
	}
	// 5.2.1.4, 5.2.2.4. no-cache
	if has(cc, "no-cache") || has(rq2, "no-cache") {
		return failing()
	}
	// 5.2.1.1. max-age of a request
	if has(rq2, "max-age") && currentAge > worst(rq2["max-age"])+1e-9 {
		return failing()
	}
	// 5.2.1.3. min-fresh: fresh for at least that long
	if has(rq2, "min-fresh") {
		if want := worst(rq2["min-fresh"]); fresh && sane(rq2["min-fresh"]) && lifetime-currentAge >= want-1e-9 {
			return reuse(true, "fresh")
		}
		return failing()
	}
	if fresh {
		return reuse(true, "fresh")
	}
	// 4.2.4. Serving Stale Responses
	if has(cc, "must-revalidate") || has(cc, "proxy-revalidate") {
		return failing()
	}
	if has(rq2, "max-stale") && !has(cc, "s-maxage") {
		v := rq2["max-stale"]
		if v[0] == "" && len(v) == 1 || sane(v) && staleness <= worst(v)+1e-9 {
			return reuse(true, "max-stale")
		}
	}
	if has(cc, "stale-while-revalidate") {
		if window := worst(cc["stale-while-revalidate"]); window > 0 && staleness <= window+1e-9 {
			return reuse(true, "stale-while-revalidate")
		}
	}
	return failing()
}

var (
	number    = regexp.MustCompile(`^[0-9]+$`)
	directive = regexp.MustCompile(`^\s*([^=,\s]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^,"]*))?\s*(?:,|$)`)
)

// directivesOf reads Cache-Control, with a regular expression.
func directivesOf(h http.Header) map[string][]string {
	out := map[string][]string{}
	rest := strings.Join(h["Cache-Control"], ",")
	for rest != "" {
		m := directive.FindStringSubmatch(rest)
		if m == nil {
			break
		}
		name := strings.ToLower(m[1])
		out[name] = append(out[name], strings.Trim(strings.TrimSpace(m[2]), `"`))
		rest = rest[len(m[0]):]
	}
	return out
}

func has(d map[string][]string, name string) bool { return len(d[name]) > 0 }

// sane reports whether all say the same number.
func sane(values []string) bool {
	for _, v := range values {
		if !number.MatchString(v) || atLeast31(v) != atLeast31(values[0]) {
			return false
		}
	}
	return true
}

// worst is the number, or nothing at all if it is none.
func worst(values []string) float64 {
	if !sane(values) {
		return 0
	}
	return atLeast31(values[0])
}

func atLeast31(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n > 1<<31 {
		return 1 << 31
	}
	return n
}

// unix is a date in seconds, or not a number.
func unix(s string) float64 {
	t, err := http.ParseTime(s)
	if err != nil {
		return math.NaN()
	}
	return float64(t.Unix())
}
