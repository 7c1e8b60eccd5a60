package proxy

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// A hundred thousand requests of which everything that a client can choose is
// random: some served, most refused, which differ in nothing that is counted.
func TestB28NoLabelIsChosenByAClient(t *testing.T) {
	served, all := 2_000, 100_000
	if testing.Short() {
		served, all = 500, 20_000
	}
	r := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), func(c *config.Config) {
		c.Classes[0].TenantHeader, c.Classes[0].LevelHeader = "X-Tenant", "X-User-Id"
		c.Exempt = []config.Pattern{"/health*"}
	})
	before := r.scrape()
	heap := heapInUse()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range all {
		if i == served {
			r.gates.all()[0].Drain()
		}
		req := httptest.NewRequest(word(rng), "/"+word(rng)+"?"+word(rng), nil)
		req.Host = word(rng) + ".example"
		for _, h := range []string{"X-Request-Criticality", "X-Tenant", "X-User-Id", "User-Agent", "X-Request-Timeout-Ms", word(rng)} {
			req.Header.Set(h, word(rng))
		}
		r.ServeHTTP(httptest.NewRecorder(), req.WithContext(t.Context()))
	}
	grown := int64(heapInUse()) - int64(heap)
	after := r.scrape()
	if a, b := seriesOf(before), seriesOf(after); !slices.Equal(a, b) {
		t.Errorf("%d series became %d", len(a), len(b))
	}
	m := parseMetrics(after)
	if m[`plimsoll_arrivals_total{class="CRITICAL",gate="upstream"}`] != float64(all) || m["plimsoll_criticality_invalid_total"] != float64(all) {
		t.Errorf("%v arrived, %v of an unknown criticality", m[`plimsoll_arrivals_total{class="CRITICAL",gate="upstream"}`], m["plimsoll_criticality_invalid_total"])
	}
	if len(after) > 1<<20 {
		t.Errorf("a scrape has %d bytes", len(after))
	}
	if grown > 10<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

func word(rng *rand.Rand) string { return fmt.Sprintf("W%x", rng.Uint64()) }

// scrape reads the metrics page.
func (r *rig) scrape() string {
	w := httptest.NewRecorder()
	r.Admin().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// seriesOf lists the series of the proxy's own metrics.
func seriesOf(page string) []string {
	var out []string
	for s := range parseMetrics(page) {
		if strings.HasPrefix(s, "plimsoll_") {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
