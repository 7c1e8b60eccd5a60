package telemetry

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// many is a proxy with ten gates, 60 routes and 40 endpoints. It counts how
// often it is looked at.
type many struct {
	*bench
	gates  []*plimsoll.Gate
	routes []*Route
	views  int
}

func newMany(t testing.TB) *many {
	m := &many{bench: newBench(t)}
	for i := range 10 {
		g, err := plimsoll.New(plimsoll.Config{Name: fmt.Sprintf("gate-of-a-service-%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		m.gates = append(m.gates, g)
	}
	for i := range 60 {
		m.routes = append(m.routes, m.recorder.Route(fmt.Sprintf("/path/of/a/route/%d/*", i), m.gates[i%10].Snapshot().Name))
	}
	return m
}

func (m *many) View() View {
	m.views++
	v := m.bench.View()
	v.Gates, v.Routes, v.Upstreams = nil, m.routes, nil
	for _, g := range m.gates {
		s := g.Snapshot()
		u := Upstream{Name: s.Name}
		for i := range 4 {
			u.Endpoints = append(u.Endpoints, Endpoint{URL: fmt.Sprintf("http://10.0.%d.1:8080", i)})
		}
		v.Gates, v.Upstreams = append(v.Gates, &s), append(v.Upstreams, u)
	}
	return v
}

// A large proxy's page stays below a mebibyte, and for it everything is looked
// at once.
func TestScrapeOfALargeProxy(t *testing.T) {
	m := newMany(t)
	w := httptest.NewRecorder()
	m.recorder.Admin(m).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if n := w.Body.Len(); n > 1<<20 || n < 256<<10 {
		t.Errorf("a scrape has %d bytes", n)
	}
	if m.views != 1 {
		t.Errorf("it was looked at %d times", m.views)
	}
}

// tally counts series by the label that says whose they are.
type tally map[string]int

func (c tally) number(m *metric, _ float64, _ ...string) { c.add(m, 1) }

func (c tally) histogram(m *metric, _ buckets, _ ...string) { c.add(m, len(bounds)+3) }

func (c tally) add(m *metric, n int) {
	if len(m.labels) > 0 {
		c[m.labels[0]] += n
	}
}

// The numbers of series that the package's comment has.
func TestSeries(t *testing.T) {
	m := newMany(t)
	v := m.View()
	c := tally{}
	m.recorder.collect(c, &v, true)
	if gate, route, endpoint := c["gate"]/10, c["route"]/60, c["upstream"]/40; gate != 375 || route != 53 || endpoint != 6 {
		t.Errorf("a gate has %d series, a route %d, an endpoint %d", gate, route, endpoint)
	}
}

// BenchmarkScrape is one scrape of a proxy with ten gates, 60 routes and 40
// endpoints.
func BenchmarkScrape(b *testing.B) {
	m := newMany(b)
	h := m.recorder.Admin(m)
	r := httptest.NewRequest("GET", "/metrics", nil)
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// BenchmarkObserve is what one request costs to count.
func BenchmarkObserve(b *testing.B) {
	m := newMany(b)
	r := httptest.NewRequest("GET", "/", nil)
	e := httpgate.Ended{Outcome: plimsoll.Success, Status: 200}
	b.ReportAllocs()
	for b.Loop() {
		m.routes[0].Observe(r, e)
	}
}
