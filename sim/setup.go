package sim

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/retry"
)

// source is a source at work.
type source struct {
	of       *Source
	index    int32
	arrivals Arrivals // nil: a closed loop
	kinds    []kind
	total    int // of the weights
	cursor   Cursor
	random   *rand.Rand // of arrivals
	choice   *rand.Rand // of kinds
	thinking *rand.Rand // of users
}

// kind is a kind at work.
type kind struct {
	of       *Kind
	source   *source // nil: a call's
	station  *station
	weight   int
	guards   *guards // nil: none
	policy   retry.Policy
	minds    bool // notices that its patience has ended, even if it will not try again
	own      *account
	rank     class.Rank
	tenant   uint64
	bytes    int64
	needs    *rand.Rand
	patience *rand.Rand
	retries  *rand.Rand
	books    books
	bucket   Point   // the one that is running
	series   []Point // those that have ended
	point    *Point  // where its requests count
	jobs     *Point  // where jobs do, those of its calls as well
	tree
}

// disturbance is a disturbance of a station.
type disturbance struct {
	station int
	effect  Effect
}

func newEngine(s *Scenario, seed uint64) *engine {
	e := &engine{s: s, sources: make([]source, len(s.Sources)), stations: make([]station, len(s.Stations))}
	e.tenants = map[string]int{}
	e.report = &Report{Scenario: s.Name, Seed: seed, Length: s.Length, Bucket: s.Bucket}
	if e.report.Bucket == 0 {
		e.report.Bucket = DefaultBucket
	}
	e.boundary = e.report.Bucket
	e.report.Series = make([]Point, 0, e.buckets())
	for i := range s.Stations {
		e.stations[i].open(&s.Stations[i])
		e.stations[i].index = int32(i)
		e.stations[i].report.Series = make([]Level, 0, e.buckets())
		for _, d := range s.Stations[i].Disturbances {
			e.disturbances = append(e.disturbances, disturbance{i, d.Effect})
			e.at(d.At, event{what: disturb, n: int32(len(e.disturbances) - 1)})
		}
	}
	for i := range s.Sources {
		e.openSource(i, seed)
	}
	return e
}

func (e *engine) openSource(i int, seed uint64) {
	of := &e.s.Sources[i]
	src := &e.sources[i]
	*src = source{
		of: of, index: int32(i), arrivals: of.Arrivals, kinds: make([]kind, len(of.Kinds)),
		random: stream(seed, "arrivals/"+of.Name), choice: stream(seed, "kinds/"+of.Name), thinking: stream(seed, "thinking/"+of.Name),
	}
	for j := range of.Kinds {
		k := &src.kinds[j]
		e.openKind(k, &of.Kinds[j], of.Name+"/"+of.Kinds[j].Name, of.Station, seed)
		e.openCalls(k, of.Kinds[j].Calls, seed)
		k.source, k.minds = src, k.minds || of.Users > 0
		src.total += k.weight
	}
	if of.Users > 0 {
		e.gather(src)
		return
	}
	if len(of.Records) > 0 {
		src.arrivals = records(of.Records)
	}
	e.flowing++
	if _, ok := of.Arrivals.(Reconnect); ok {
		e.at(e.s.Length, event{what: closing})
		return
	}
	e.expect(src)
}

func (e *engine) openKind(k *kind, of *Kind, name string, at int, seed uint64) {
	*k = kind{
		of: of, station: &e.stations[at], weight: max(of.Weight, 1),
		rank: class.RankOf(of.Criticality, of.Level), tenant: tenantOf(of.Tenant),
		needs: stream(seed, "needs/"+name), patience: stream(seed, "patience/"+name), retries: stream(seed, "retries/"+name),
		guards: newGuards(&of.Client, seed, name), policy: of.Client.policy(), minds: of.Client.Hangup || of.Client.Breaker != nil,
		tree: tree{name: name, salt: salt(seed, name)},
	}
	k.own = k.books.account(of.Criticality, of.Tenant)
	k.point, k.jobs = &k.bucket, &k.bucket
	k.bytes = of.Bytes
	if m := e.s.Stations[at].Memory; m != nil {
		k.bytes = cmp.Or(of.Bytes, m.Each)
	}
}

// tenantOf is the number that stands for a tenant; 0 for none.
func tenantOf(name string) uint64 {
	if name == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(name)) // never fails
	return max(h.Sum64(), 1)
}

// expect schedules the next arrival of a source, if there is one.
func (e *engine) expect(src *source) {
	if src.arrivals == nil {
		e.flowing-- // the user is no longer on the way
		return
	}
	c, ok := src.arrivals.Next(src.cursor, src.random)
	if !ok || c.At >= e.s.Length {
		e.flowing--
		return
	}
	src.cursor = c
	e.at(c.At, event{what: arrival, n: src.index})
}

// choose is the kind of the arrival that the cursor is at.
func (src *source) choose(rec *Record) *kind {
	if rec != nil && rec.Kind != "" {
		return src.named(rec.Kind)
	}
	if len(src.kinds) == 1 {
		return &src.kinds[0]
	}
	n := (src.cursor.N - 1) % src.total
	if !src.of.InTurn {
		n = pick(src.choice, src.total)
	}
	for i := range src.kinds {
		if n -= src.kinds[i].weight; n < 0 {
			return &src.kinds[i]
		}
	}
	panic("sim: weights do not add up")
}

// drawPatience is how long a caller waits; [core.Never] for ever.
func (k *kind) drawPatience(r *rand.Rand) time.Duration {
	c := &k.of.Client
	switch {
	case c.Patience == 0 && c.Most == 0:
		return core.Never
	case c.Most > c.Patience:
		return c.Patience + scaled(c.Most-c.Patience, r.Float64())
	}
	return c.Patience
}
