package cache

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"
)

// pairs are generated request and response pairs.
const pairs = 600

// TestPairsAgainstAPlainReading plays generated pairs through the whole cache,
// and compares what the second request gets with a plain reading of the RFCs.
func TestPairsAgainstAPlainReading(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9111, 5861))
	seen := map[string]int{}
	for i := range pairs {
		p := newPair(rnd)
		play(t, Config{}, Policy{}, func(r *rig) {
			want, got, age, stored := p.enact(r)
			if !stored && (want.why == "max-stale" || want.why == "error" && p.second.Get("Cache-Control") == "stale-if-error=30") {
				return // it may be stored, and is not: nearly nobody could use it
			}
			if want.stored != stored && want.reused || want.reused != (got == "first") || want.reused && fmt.Sprint(want.age) != age {
				t.Errorf("pair %d: got %q, age %q, stored %v; a plain reading says %+v\n%s", i, got, age, stored, want, p)
			}
			seen[fmt.Sprint(want.why, " ", want.reused)]++
		})
	}
	for _, kind := range []string{"fresh true", "not stored false", "asks false", "authorized false", "max-stale true",
		"stale-while-revalidate true", "error true", "error false", "error, still fresh true"} {
		if seen[kind] < 5 {
			t.Errorf("only %d pairs of %d are of the kind %q: %v", seen[kind], pairs, kind, seen)
		}
	}
	t.Log(seen)
}

// pair is one of them before it is played.
type pair struct {
	delay, pause  time.Duration
	dated         time.Duration // of the answer's date before it is sent
	noDate        bool
	expires       string // "": none; a number of seconds after Date; or as it is
	answer        http.Header
	first, second http.Header
	fails         bool
}

func (p pair) String() string {
	return fmt.Sprintf("delay %v, pause %v, date -%v (none: %v), expires %q, fails %v\nanswer %v\nfirst %v\nsecond %v",
		p.delay, p.pause, p.dated, p.noDate, p.expires, p.fails, p.answer, p.first, p.second)
}

func pick[T any](rnd *rand.Rand, of ...T) T { return of[rnd.IntN(len(of))] }

func newPair(rnd *rand.Rand) pair {
	p := pair{
		delay: pick(rnd, 0, 250*time.Millisecond, 3*time.Second), pause: time.Duration(rnd.IntN(60_000)) * time.Millisecond,
		dated: pick(rnd, 0, 0, time.Second, 10*time.Second, -5*time.Second), noDate: rnd.IntN(8) == 0,
		expires: pick(rnd, "", "", "", "30", "10", "-5", "0", "Thursday", "Sat, 01 Jan 2000 00:00:20 GMT"),
		answer:  http.Header{}, first: http.Header{}, second: http.Header{}, fails: rnd.IntN(2) == 0,
	}
	var cc []string
	for _, d := range []struct {
		one    int // in so many
		values []string
	}{
		{2, []string{"max-age=20", "max-age=40", "Max-Age=30", `max-age="25"`, "max-age=0", "max-age=ten", "max-age=-3", "max-age=99999999999", "max-age=10, max-age=10", "max-age=10, max-age=50"}},
		{6, []string{"s-maxage=15", "s-maxage=45", "s-maxage=", "S-MAXAGE=30"}},
		{3, []string{"stale-while-revalidate=10", "stale-while-revalidate=30", "stale-while-revalidate=soon"}},
		{2, []string{"stale-if-error=20", "stale-if-error=60", "stale-if-error=0"}},
		{40, []string{"no-store"}}, {14, []string{"no-cache", `no-cache="Foo"`}}, {40, []string{"private", `private="X, Y"`}},
		{5, []string{"public"}}, {10, []string{"must-revalidate"}}, {14, []string{"proxy-revalidate"}},
		{5, []string{"immutable", `unknown="max-age=1, no-store"`, "x=1"}},
	} {
		if rnd.IntN(d.one) == 0 {
			cc = append(cc, pick(rnd, d.values...))
		}
	}
	rnd.Shuffle(len(cc), func(i, j int) { cc[i], cc[j] = cc[j], cc[i] })
	if len(cc) > 0 {
		at := rnd.IntN(len(cc))
		for _, line := range [][]string{cc[:at], cc[at:]} {
			if len(line) > 0 {
				p.answer.Add("Cache-Control", strings.Join(line, pick(rnd, ",", ", ", " , ")))
			}
		}
	}
	if v := pick(rnd, "", "", "", "5", "0", "12", "-4", "soon", "7, 100"); v != "" {
		p.answer.Set("Age", v)
	}
	if rnd.IntN(3) == 0 {
		p.answer.Set("Etag", `"1"`)
	}
	if rnd.IntN(20) == 0 {
		p.first.Set("Cache-Control", "no-store")
	}
	if v := pick(rnd, "", "", "", "", "no-cache", "max-age=0", "max-age=10", "max-age=15", "max-age=x", "min-fresh=5", "min-fresh=x", "max-stale",
		"max-stale=10", "max-stale=x", "stale-if-error=30", "max-age=20, max-stale=5"); v != "" {
		p.second.Set("Cache-Control", v)
	}
	for _, h := range []http.Header{p.first, p.second} {
		if rnd.IntN(16) == 0 {
			h.Set("Authorization", "Basic x")
		}
	}
	return p
}

// enact plays the pair, and says what it should and what it did get.
func (p pair) enact(r *rig) (want reading, body, age string, stored bool) {
	x := exam{answer: p.answer.Clone(), first: p.first, second: p.second, fails: p.fails}
	r.serv = func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(p.delay)
		date := time.Now().Add(-p.dated).UTC()
		x.answer.Set("Date", date.Format(http.TimeFormat))
		if p.noDate {
			x.answer.Del("Date")
			date = time.Now().UTC()
		}
		if d, err := time.ParseDuration(p.expires + "s"); err == nil {
			x.answer.Set("Expires", date.Add(d).Format(http.TimeFormat))
		} else if p.expires != "" {
			x.answer.Set("Expires", p.expires)
		}
		clear(w.Header())
		for name, values := range x.answer {
			w.Header()[name] = values
		}
		w.Write([]byte("first"))
		x.cameAt = seconds64(time.Now())
	}
	x.askedAt = seconds64(time.Now())
	req := r.request(r.Context(), "/a")
	req.Header = p.first.Clone()
	r.ask(req)
	stored = r.Snapshot().Stored == 1
	time.Sleep(p.pause)

	x.nowAt = seconds64(time.Now())
	r.says(200, "", "second")
	if p.fails {
		r.says(503, "", "second")
	}
	req = r.request(r.Context(), "/a")
	req.Header = p.second.Clone()
	got := r.ask(req)
	return x.read(), got.body, got.header.Get("Age"), stored
}

func seconds64(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
