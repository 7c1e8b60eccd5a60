package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// telling answers with what a service is told: its path and the headers about tiers.
func telling(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s degrade=%s exercise=%s", name, r.URL.RequestURI(), strings.Join(r.Header["Plimsoll-Degrade"], "|"), strings.Join(r.Header["Plimsoll-Exercise"], "|"))
	}
}

// three are a gate's tiers, which nobody is exercised on.
const three = `gates: {shop: {maxWait: 5s, ladder: {quiet: 1h, exercise: 0%, tiers: [
  {name: reviews, above: 1s}, {name: images, above: 2s, spare: [CRITICAL_PLUS]}, {name: search, above: 3s}]}}}
`

// person switches a tier over the admin port.
func (r *rig) person(tier, mode string) {
	r.Helper()
	resp, err := http.Post("http://"+r.AdminAddr()+"/tier?tier="+tier+"&mode="+mode+"&by=ada", "", nil)
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 {
		r.Fatalf("%d %s", resp.StatusCode, body)
	}
}

// ladderOf is what /status says of the first gate's tiers.
func (r *rig) ladderOf() *telemetry.LadderStatus {
	r.Helper()
	resp, err := http.Get("http://" + r.AdminAddr() + "/status")
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	var s telemetry.Status
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		r.Fatal(err)
	}
	return s.Gates[0].Ladder
}

// The service is told which tiers are on, those whom a tier spares are not, and
// the answer says so; what a caller says of tiers is not passed on unless he is
// trusted.
func TestH20TheProxyAloneTellsOfTiers(t *testing.T) {
	r := play(t, "trust: {networks: [127.0.0.2]}\nupstreams: {shop: {endpoints: [http://shop]}}\n"+three, map[string]http.Handler{"shop": telling("shop")})
	client := r.client()
	ask := func(want, label string, headers ...string) {
		t.Helper()
		a := r.send(client, r.request("/a?b", headers...))
		if a.body != "shop /a?b "+want || a.Header.Get("Plimsoll-Degraded") != label {
			t.Errorf("%q: have %q, labelled %q; want %q, %q", headers, a.body, a.Header.Get("Plimsoll-Degraded"), want, label)
		}
	}
	ask("degrade= exercise=", "")
	ask("degrade= exercise=", "", "Plimsoll-Degrade", "reviews", "Plimsoll-Exercise", "reviews", "Plimsoll-Degraded", "reviews")
	r.person("images", "on")
	ask("degrade=images exercise=", "images")
	r.person("reviews", "on")
	ask("degrade=reviews, images exercise=", "reviews, images")
	ask("degrade=reviews, images exercise=", "reviews, images", "Plimsoll-Degrade", "search", "X-Request-Criticality", "CRITICAL_PLUS")
	r.person("images", "auto")
	r.person("reviews", "auto")
	ask("degrade= exercise=", "")
	for i, want := range []bool{true, true, false} {
		s := r.ladderOf().Tiers[i]
		if (s.Person != nil) != want || want && (s.Person.By != "ada" || s.Person.From == "" || s.Person.Mode != "auto" || time.Since(s.Person.At) > patience) {
			t.Errorf("%s: %+v", s.Name, s.Person)
		}
	}
	if log := r.log.all(); !strings.Contains(log, `msg="tier switched by a person"`) || !strings.Contains(log, "mode=on by=ada from=127.0.0.1:") {
		t.Errorf("nothing is logged of who it was:\n%s", log)
	}
}

// Whom a tier spares keeps the full answer.
func TestSparedRequestsAreNotDegraded(t *testing.T) {
	r := play(t, "trust: {everyone: true}\nupstreams: {shop: {endpoints: [http://shop]}}\n"+three, map[string]http.Handler{"shop": telling("shop")})
	r.person("reviews", "on")
	r.person("images", "on")
	a := r.send(r.client(), r.request("/", "X-Request-Criticality", "CRITICAL_PLUS"))
	if a.body != "shop / degrade=reviews exercise=" {
		t.Error(a.body)
	}
	// A trusted hop before this one has tiers of its own.
	a = r.send(r.client(), r.request("/", "Plimsoll-Degrade", "carousel, images"))
	if a.body != "shop / degrade=carousel, reviews, images exercise=" {
		t.Error(a.body)
	}
}

// An answer of the proxy's own is none to gRPC, which is told of the tier, and
// whose tier before that has its fallback.
func TestOwnAnswersAreNotForGRPC(t *testing.T) {
	r := play(t, "upstreams: {shop: {endpoints: [http://shop]}}\n"+three+`routes: [{degrade: {reviews: {path: /lite/*}, images: {body: {text: none}}}}]
`, map[string]http.Handler{"shop": telling("shop")})
	call := func() string {
		req := r.request("/s.S/M", "Content-Type", "application/grpc+proto", "Te", "trailers")
		req.Method = "POST"
		return r.send(r.clientH2(), req).body
	}
	r.person("images", "on")
	if got := r.send(r.client(), r.request("/s.S/M")).body; got != "none" {
		t.Errorf("without gRPC: %s", got)
	}
	if got := call(); got != "shop /s.S/M degrade=images exercise=" {
		t.Error(got)
	}
	r.person("reviews", "on")
	if got := call(); got != "shop /lite/s.S/M degrade=reviews, images exercise=" {
		t.Error(got)
	}
}

// A tier goes on by itself soon after the delay of the queue has crossed its
// threshold, nobody is refused meanwhile, and it is seen everywhere.
func TestTierGoesOnByItself(t *testing.T) {
	var told atomic.Int64
	var slow atomic.Bool
	slow.Store(true)
	open := make(chan struct{})
	r := play(t, `upstreams: {shop: {endpoints: [http://shop]}}
gates: {shop: {limit: 2, maxWait: 30s, maxQueue: 100, ladder: {dwell: 10ms, quiet: 1h, exercise: 0%, tiers: [{name: reviews, above: 100ms}]}}}
`, map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Plimsoll-Degrade") == "reviews" {
			told.Add(1)
			return
		}
		if slow.Load() {
			select {
			case <-time.After(20 * time.Millisecond): // reviews
			case <-open:
			}
		}
	})})
	client := r.client()
	// A delay is known once it is known how fast the queue drains.
	r.until("the drain rate is known", func() bool {
		var warm sync.WaitGroup
		for range 2 {
			warm.Go(func() { r.send(client, r.request("/")) })
		}
		warm.Wait()
		return r.Snapshot().DrainRate > 0
	})
	var callers sync.WaitGroup
	began := time.Now()
	for range 100 {
		callers.Go(func() {
			if a := r.send(client, r.request("/")); a.StatusCode != 200 {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		})
	}
	r.until("the tier is on", func() bool { return r.Snapshot().Ladder.Tiers[0].On })
	t.Logf("on after %s", time.Since(began))
	slow.Store(false)
	close(open)
	callers.Wait()
	if told.Load() == 0 {
		t.Error("the service was told of nobody")
	}
	m := r.metrics()
	for name, want := range map[string]float64{
		`plimsoll_tier_on{gate="shop",tier="reviews"}`:                                          1,
		`plimsoll_tiers_on{gate="shop"}`:                                                        1,
		`plimsoll_tier_requests_total{exercised="false",gate="shop",tier="reviews"}`:            float64(told.Load()),
		`plimsoll_rung_requests_total{gate="shop",rung="degrade"}`:                              float64(told.Load()),
		`plimsoll_rung_requests_total{gate="shop",rung="shed"}`:                                 0,
		`plimsoll_tier_transitions_total{cause="delayed",gate="shop",tier="reviews",to="on"}`:   1,
		`plimsoll_tier_transitions_total{cause="switched",gate="shop",tier="reviews",to="off"}`: 0,
	} {
		if m[name] != want {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
	if m[`plimsoll_tier_on_time_seconds_total{gate="shop",tier="reviews"}`] <= 0 {
		t.Error("it has been on for no time")
	}
	r.until("it is logged", func() bool {
		return strings.Contains(r.log.all(), `msg="tier on" proxy=`) || strings.Contains(r.log.all(), `msg="tier on" gate=shop tier=reviews cause=delayed delay=`)
	})
	if a := r.ladderOf(); !a.Tiers[0].On || a.Tiers[0].Requests != uint64(told.Load()) || a.Delay < 0 {
		t.Errorf("%+v", a)
	}
}

// What a route does while tiers are on: the last of the ladder counts, an answer
// of the proxy's own takes no slot, a path and an upstream are others.
func TestFallbacksOfARoute(t *testing.T) {
	r := play(t, `upstreams: {shop: {endpoints: [http://shop]}, cdn: {endpoints: [http://cdn], deadlineHeaders: [envoy]}}
`+three+`routes:
  - match: {path: /api/*}
    upstream: shop
    degrade:
      reviews: {path: /lite/*}
      images: {upstream: cdn, path: /best.json}
      search: {body: {type: application/json, text: "[]"}}
  - {upstream: shop}
`, map[string]http.Handler{"shop": telling("shop"), "cdn": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Envoy-Expected-Rq-Timeout-Ms") == "" {
			t.Error("the other upstream is not told what is left in its dialect")
		}
		telling("cdn")(w, r)
	})})
	client := r.client()
	ask := func(path, want string) {
		t.Helper()
		a := r.send(client, r.request(path))
		if a.body != want {
			t.Errorf("%s: have %q, want %q", path, a.body, want)
		}
	}
	ask("/api/a%2Fb?c=d", "shop /api/a%2Fb?c=d degrade= exercise=")
	r.person("reviews", "on")
	ask("/api/a%2Fb?c=d", "shop /lite/api/a%2Fb?c=d degrade=reviews exercise=")
	ask("/other", "shop /other degrade=reviews exercise=")
	r.person("images", "on")
	ask("/api/a?c=d", "cdn /best.json?c=d degrade=reviews, images exercise=")
	r.person("search", "on")
	before := r.Snapshot()
	for _, method := range []string{"GET", "HEAD", "POST"} {
		req := r.request("/api/a")
		req.Method = method
		if method == "POST" {
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader("body")), 4
		}
		a := r.send(client, req)
		want := "[]"
		if method == "HEAD" {
			want = ""
		}
		if a.StatusCode != 200 || a.body != want || a.ContentLength != 2 || a.Header.Get("Content-Type") != "application/json" ||
			a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Plimsoll-Degraded") != "search" {
			t.Errorf("%s: %d %q %v", method, a.StatusCode, a.body, a.Header)
		}
	}
	after := r.Snapshot()
	if have := after.Ladder.Rungs; have[3] != before.Ladder.Rungs[3] {
		t.Errorf("the gate was asked: %v", have)
	}
	m := r.metrics()
	for name, want := range map[string]float64{
		`plimsoll_arrivals_total{class="CRITICAL",gate="shop"}`:                                 7,
		`plimsoll_goodput_total{class="CRITICAL",gate="shop"}`:                                  7,
		`plimsoll_route_goodput_total{class="CRITICAL",gate="shop",route="/api/*"}`:             6,
		`plimsoll_requests_total{class="CRITICAL",gate="shop",outcome="success",reason="none"}`: 7,
		`plimsoll_rung_requests_total{gate="shop",rung="degrade"}`:                              6,
		`plimsoll_tier_requests_total{exercised="false",gate="shop",tier="search"}`:             3,
		`plimsoll_tier_calls_total{gate="shop",result="success",tier="reviews",way="cheaper"}`:  1,
		`plimsoll_tier_calls_total{gate="shop",result="success",tier="reviews",way="full"}`:     1,
		`plimsoll_tier_calls_total{gate="shop",result="success",tier="images",way="cheaper"}`:   1,
		`plimsoll_tier_by_hand{gate="shop",tier="search"}`:                                      1,
	} {
		if m[name] != want {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
}

// Everybody is exercised, on one of two tiers: a fallback that fails costs nobody
// an answer, only requests that can be sent again take it, and the tier is known
// to fail.
func TestExercisedFallbacksCostNothing(t *testing.T) {
	var lite, full atomic.Int64
	r := play(t, `upstreams: {shop: {endpoints: [http://shop], ejection: none}}
gates: {shop: {ladder: {exercise: 100%, tiers: [{name: reviews, above: 100ms}]}}}
routes: [{degrade: {reviews: {path: /lite/*}}}]
`, map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, "/lite/") {
			lite.Add(1)
			w.WriteHeader(500)
			return
		}
		full.Add(1)
		telling("shop")(w, req)
	})})
	client := r.client()
	for i := range 60 {
		req := r.request("/")
		if i%3 == 2 {
			req.Method, req.Body, req.ContentLength = "POST", io.NopCloser(strings.NewReader("body")), 4
		}
		if a := r.send(client, req); a.StatusCode != 200 || a.body != "shop / degrade=reviews exercise=reviews" {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	if lite.Load() != 40 || full.Load() != 60 {
		t.Errorf("%d fallbacks and %d in full", lite.Load(), full.Load())
	}
	r.until("the tier is known to fail", func() bool { return r.ladderOf().Tiers[0].Failing })
	m := r.metrics()
	for name, want := range map[string]float64{
		`plimsoll_tier_requests_total{exercised="true",gate="shop",tier="reviews"}`:           60,
		`plimsoll_tier_requests_total{exercised="false",gate="shop",tier="reviews"}`:          0,
		`plimsoll_rung_requests_total{gate="shop",rung="degrade"}`:                            0,
		`plimsoll_tier_calls_total{gate="shop",result="failed",tier="reviews",way="cheaper"}`: 40,
		`plimsoll_tier_calls_total{gate="shop",result="success",tier="reviews",way="full"}`:   40,
		`plimsoll_tier_failing{gate="shop",tier="reviews"}`:                                   1,
	} {
		if m[name] != want {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
}

// Of all requests a tenth tries one of two tiers out, and is labelled.
func TestExercisedShare(t *testing.T) {
	var labelled [2]atomic.Int64
	r := play(t, `upstreams: {shop: {endpoints: [http://shop]}}
gates: {shop: {ladder: {exercise: 10%, tiers: [{name: reviews, above: 100ms}, {name: images, above: 200ms}]}}}
`, map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		for i, name := range []string{"reviews", "images"} {
			if req.Header.Get("Plimsoll-Exercise") == name && req.Header.Get("Plimsoll-Degrade") == name {
				labelled[i].Add(1)
			}
		}
	})})
	const n = 4000
	var callers sync.WaitGroup
	client := r.client()
	for range 4 {
		callers.Go(func() {
			for range n / 4 {
				r.send(client, r.request("/"))
			}
		})
	}
	callers.Wait()
	for i := range labelled {
		if have := labelled[i].Load(); have < n/10-120 || have > n/10+120 { // six standard deviations
			t.Errorf("%d of %d try tier %d out", have, n, i)
		}
	}
	if s := r.Snapshot().Ladder; s.Exercised != uint64(labelled[0].Load()+labelled[1].Load()) {
		t.Errorf("%d are counted", s.Exercised)
	}
}

// A tier has no more fallbacks under way than it may.
func TestFallbacksAreBounded(t *testing.T) {
	entered, open := make(chan struct{}), make(chan struct{})
	r := play(t, `upstreams: {shop: {endpoints: [http://shop]}}
gates: {shop: {ladder: {exercise: 0%, tiers: [{name: reviews, above: 100ms, fallbacks: 1}]}}}
routes: [{degrade: {reviews: {path: /lite/*}}}]
`, map[string]http.Handler{"shop": http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/lite/held" {
			entered <- struct{}{}
			held(req, open)
		}
	})})
	r.person("reviews", "on")
	var caller sync.WaitGroup
	caller.Go(func() { r.send(r.client(), r.request("/held")) })
	<-entered
	a := r.send(r.client(), r.request("/"))
	if a.StatusCode != 503 || a.Header.Get("Retry-After") == "" || !strings.Contains(a.Header.Get("Proxy-Status"), "fallbacks_full") {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
	close(open)
	caller.Wait()
	if a := r.send(r.client(), r.request("/")); a.StatusCode != 200 {
		t.Errorf("%d", a.StatusCode)
	}
	if m := r.metrics(); m[`plimsoll_tier_turned_away_total{gate="shop",tier="reviews"}`] != 1 {
		t.Error("nobody was turned away")
	}
}

// A reload leaves tiers as they are, and what persons have switched; another file
// of an answer is taken.
func TestReloadKeepsTiers(t *testing.T) {
	text := "upstreams: {shop: {endpoints: [http://shop]}}\n" + three + "routes: [{degrade: {search: {body: {text: one}}}}]\n"
	r := play(t, text, map[string]http.Handler{"shop": telling("shop")})
	r.person("reviews", "on")
	r.person("images", "off")
	r.person("search", "on")
	since := r.ladderOf().Tiers[0].Since
	for _, change := range [][2]string{{"", ""}, {"above: 1s", "above: 1100ms"}, {"text: one", "text: two"}} {
		text = strings.Replace(text, change[0], change[1], 1)
		r.write(text)
		if err := r.Reload(); err != nil {
			t.Fatal(err)
		}
		l := r.ladderOf()
		if l.Tiers[0].Mode != "on" || !l.Tiers[0].On || l.Tiers[1].Mode != "off" || l.Tiers[0].Since != since || l.Tiers[0].Person.By != "ada" {
			t.Errorf("after %q: %+v", change, l)
		}
	}
	if a := r.send(r.client(), r.request("/")); a.body != "two" {
		t.Error(a.body)
	}
	if err := r.gates.named("shop").Override("search", ladder.Auto); err != nil {
		t.Error(err)
	}
	if a := r.send(r.client(), r.request("/")); a.body != "shop / degrade=reviews exercise=" {
		t.Error(a.body)
	}
}

// The file of an answer is watched, as all that the settings name.
func TestFilesOfAnswersAreWatched(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.json")
	if err := os.WriteFile(file, []byte("[1]"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := play(t, "upstreams: {shop: {endpoints: [http://shop]}}\n"+three+"routes: [{degrade: {search: {body: {file: "+file+"}}}}]\n",
		map[string]http.Handler{"shop": telling("shop")})
	r.person("search", "on")
	if a := r.send(r.client(), r.request("/")); a.body != "[1]" {
		t.Error(a.body)
	}
	if all := r.files("proxy.yaml"); !slices.Contains(all, file) {
		t.Errorf("%q", all)
	}
	if err := os.WriteFile(file, []byte("[2]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	if a := r.send(r.client(), r.request("/")); a.body != "[2]" {
		t.Error(a.body)
	}
}

// What cannot be switched is said, and changes nothing.
func TestSwitchingWhatIsNotThere(t *testing.T) {
	r := play(t, "upstreams: {shop: {endpoints: [http://shop]}}\n"+three, map[string]http.Handler{"shop": telling("shop")})
	for query, want := range map[string]string{
		"tier=review&mode=on":               "404 there is no tier \"review\", only shop/reviews, shop/images, shop/search",
		"tier=reviews&mode=on&gate=x":       "404 there is no tier \"reviews\" of gate \"x\", only shop/reviews, shop/images, shop/search",
		"tier=reviews&mode=up":              "400 mode: want on, off or auto",
		"tier=reviews&mode=on&by=a%0Aerror": "400 by: want a name of 100 printable characters at most",
	} {
		resp, err := http.Post("http://"+r.AdminAddr()+"/tier?"+query, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if have := fmt.Sprintf("%d %s", resp.StatusCode, strings.TrimSpace(string(body))); have != want {
			t.Errorf("%s: have %q, want %q", query, have, want)
		}
	}
	if l := r.ladderOf(); l.Changes != 0 {
		t.Errorf("%+v", l)
	}
}

// Stale answers are given to those for whom a tier that says so is on, and to
// some to try it out.
func TestTierOfStaleAnswers(t *testing.T) {
	r := play(t, `upstreams: {shop: {endpoints: [http://shop]}}
gates: {shop: {ladder: {exercise: 50%, tiers: [{name: reviews, above: 100ms, spare: [CRITICAL_PLUS]}]}}}
routes: [{cache: {}, degrade: {reviews: {stale: true}}}]
`, map[string]http.Handler{"shop": telling("shop")})
	g := r.gates.named("shop")
	d := &degrading{gate: g.Gate, fallbacks: []fallback{{tier: "reviews", stale: true}}}
	as := &httpgate.Config{Wire: wire.Config{Trusted: true}}
	count := func(criticality string) (n int) {
		for range 1000 {
			if d.stale(r.request("/", "X-Request-Criticality", criticality), as) {
				n++
			}
		}
		return n
	}
	if n := count("CRITICAL"); n < 400 || n > 600 {
		t.Errorf("%d of 1000 try it out", n)
	}
	r.person("reviews", "on")
	if n := count("CRITICAL"); n != 1000 {
		t.Errorf("%d of 1000 get it", n)
	}
	if n := count("CRITICAL_PLUS"); n != 0 {
		t.Errorf("%d of 1000 who are spared get it", n)
	}
	r.person("reviews", "off")
	if n := count("CRITICAL"); n != 0 {
		t.Errorf("%d of 1000 get it though it was switched off", n)
	}
}
