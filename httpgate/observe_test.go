package httpgate

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// One slot, one place; every request holds the slot for a second. What is told
// of each is what the gate counts.
func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{MaxQueue: 1, MaxWait: time.Minute, NoPrediction: true, ExpireAtDequeue: true})
		var mu sync.Mutex
		var seen []Ended
		h := Config{Observe: func(_ *http.Request, e Ended) { mu.Lock(); defer mu.Unlock(); seen = append(seen, e) }}.Handler(g,
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Second)
				switch r.URL.Path {
				case "/teapot":
					w.WriteHeader(http.StatusTeapot)
				case "/broken":
					w.WriteHeader(http.StatusBadGateway)
				case "/late":
					_, _ = w.Write([]byte("late"))
				}
			}))
		send := func(path string, headers ...string) {
			r := httptest.NewRequest("GET", path, nil)
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			go h.ServeHTTP(httptest.NewRecorder(), r)
			synctest.Wait()
		}
		send("/", "X-Request-Criticality", "SHEDDABLE", "X-Request-Attempt", "3")
		send("/teapot")                                             // waits for a second
		send("/refused", "X-Request-Criticality", "SHEDDABLE_PLUS") // finds the queue full
		time.Sleep(3 * time.Second)
		send("/broken")
		time.Sleep(2 * time.Second)
		send("/late", "X-Request-Timeout-Ms", "900")
		time.Sleep(2 * time.Second)
		send("/silent", "X-Request-Timeout-Ms", "900")
		time.Sleep(2 * time.Second)
		synctest.Wait()

		held := plimsoll.Ended{Held: time.Second}
		late := plimsoll.Ended{Held: time.Second, Late: true}
		want := []Ended{
			{Refusal: seen[0].Refusal, Criticality: class.SheddablePlus, Status: 503},
			{Outcome: plimsoll.Success, Ended: held, Criticality: class.Sheddable, Attempt: 3, Status: 200},
			{Outcome: plimsoll.Success, Ended: plimsoll.Ended{Waited: time.Second, Held: time.Second}, Criticality: class.Critical, Status: 418},
			{Outcome: plimsoll.Failed, Ended: held, Criticality: class.Critical, Status: 502},
			{Outcome: plimsoll.Success, Ended: late, Criticality: class.Critical, Status: 200},
			{Outcome: plimsoll.TimedOut, Ended: late, Criticality: class.Critical, Status: 504},
		}
		if len(seen) != len(want) || seen[0].Refusal == nil || seen[0].Refusal.Reason != plimsoll.QueueFull {
			t.Fatalf("told of %+v", seen)
		}
		good := 0
		for i, e := range seen {
			if e != want[i] {
				t.Errorf("%d: %+v\nwant %+v", i, e, want[i])
			}
			if e.Good() {
				good++
			}
		}
		s := g.Snapshot()
		var counted uint64
		for lane := range s.Classes {
			counted += s.Classes[lane].Goodput
		}
		if good != 2 || counted != 2 {
			t.Errorf("%d of them were goodput, and the gate has counted %d", good, counted)
		}
	})
}

// witnessed is what a witness was told of one request.
type witnessed struct {
	Arrived
	left   int // how often
	served time.Duration
}

// book is a witness that keeps everything.
type book struct {
	mu  sync.Mutex
	all []witnessed
}

func (b *book) Arrived(a Arrived) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, witnessed{Arrived: a})
	return uint64(len(b.all))
}

func (b *book) Left(mark uint64, served time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[mark-1].left++
	b.all[mark-1].served = served
}

// A witness sees every request once, whatever becomes of it, and as what it
// counts; how long it was served only where that is what it takes.
func TestWitness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{MaxQueue: 0, MaxStreams: 1, NoPrediction: true})
		b := &book{}
		h := Config{
			Witness: b, Exempt: []string{"/exempt"}, Streams: []string{"/events"},
			Wire: wire.Config{MaxTimeout: 3 * time.Second, DefaultTimeout: 2 * time.Second},
			Classify: func(r *http.Request, w *plimsoll.Work) {
				w.Tenant, w.Cost, w.Level = r.Header.Get("X-Tenant"), 5, 7
			},
			Await: func(_ http.ResponseWriter, r *http.Request, _ time.Time) (io.ReadCloser, bool) {
				return r.Body, r.URL.Path != "/slow"
			},
			Ahead: func(_ http.ResponseWriter, r *http.Request, _ io.Reader, _ Ahead) bool { return r.URL.Path != "/ahead" },
		}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			switch r.URL.Path {
			case "/broken":
				w.WriteHeader(http.StatusBadGateway)
			case "/panic":
				panic(http.ErrAbortHandler)
			case "/events":
				w.WriteHeader(http.StatusOK)
				time.Sleep(time.Hour)
			}
		}))
		send := func(path string, headers ...string) {
			r := httptest.NewRequest("POST", path, strings.NewReader("x"))
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			go func() {
				defer func() { _ = recover() }()
				h.ServeHTTP(httptest.NewRecorder(), r)
			}()
			synctest.Wait()
		}
		send("/", "X-Tenant", "blue", "X-Request-Criticality", "SHEDDABLE", "X-Request-Timeout-Ms", "1500")
		send("/refused", "X-Request-Timeout-Ms", "2500") // more than it is given
		send("/exempt")
		time.Sleep(2 * time.Second)
		for _, path := range []string{"/slow", "/ahead", "/broken", "/panic", "/events"} {
			send(path)
			time.Sleep(2 * time.Second)
		}
		send("/late", "X-Request-Timeout-Ms", "0")
		send("/long", "X-Request-Timeout-Ms", "99999999999")
		time.Sleep(2 * time.Hour)
		synctest.Wait()

		as := func(a Arrived, served time.Duration) witnessed {
			a.Cost, a.Level = 5, 7
			if a.Criticality == class.Unset {
				a.Criticality = class.Critical
			}
			return witnessed{a, 1, served}
		}
		want := []witnessed{
			as(Arrived{Criticality: class.Sheddable, Tenant: "blue", Asked: 1500 * time.Millisecond}, time.Second),
			as(Arrived{Asked: 2500 * time.Millisecond}, 0), // refused
			as(Arrived{}, 0), // slow
			as(Arrived{}, 0), // ahead
			as(Arrived{}, 0), // broken
			as(Arrived{}, 0), // panic
			as(Arrived{Stream: true}, 0),
			as(Arrived{Asked: 1}, 0), // late
			as(Arrived{Asked: 3 * time.Second}, time.Second),
		}
		if len(b.all) != len(want) {
			t.Fatalf("told of %d requests, want %d: %+v", len(b.all), len(want), b.all)
		}
		for i, w := range b.all {
			if w != want[i] {
				t.Errorf("%d: %+v\nwant %+v", i, w, want[i])
			}
		}
	})
}
