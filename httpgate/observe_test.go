package httpgate

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
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
