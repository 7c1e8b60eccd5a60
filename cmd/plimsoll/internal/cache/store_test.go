package cache

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestStoreIsBounded: whatever is asked for, and however the service answers,
// the bounds hold at every moment, and what is used stays.
func TestStoreIsBounded(t *testing.T) {
	play(t, Config{Bytes: 256 << 10, Entries: 100, ObjectBytes: 8 << 10, Variants: 4}, Policy{}, func(r *rig) {
		rnd, drawn := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
		var mu sync.Mutex // a refresh draws beside the others
		r.serv = func(w http.ResponseWriter, req *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			rnd := drawn
			h := w.Header()
			h.Set("Cache-Control", pick(rnd, "max-age=60", "max-age=60", "private", "max-age=0, stale-while-revalidate=5"))
			switch rnd.IntN(8) {
			case 0:
				h.Set("Vary", strings.Repeat("X-Many, ", rnd.IntN(40))+"X-Kind")
			case 1:
				for i := range rnd.IntN(200) {
					h.Set(fmt.Sprint("X-Flood-", i), strings.Repeat("x", 300))
				}
			case 2:
				h.Set("Vary", fmt.Sprint("X-Kind, X-", rnd.IntN(30), ", X-", rnd.IntN(30)))
			}
			w.WriteHeader(pick(rnd, 200, 200, 200, 200, 404, 503, 301))
			w.Write(make([]byte, rnd.IntN(16<<10)))
		}
		popular := 0
		for i := range 4000 {
			target := fmt.Sprint("/", rnd.IntN(5000), "?", strings.Repeat("q", rnd.IntN(200)))
			if i%4 == 0 {
				target = "/popular"
			}
			g := r.get(pick(rnd, "", "", "", "HEAD ", "DELETE ")+target, fmt.Sprint("X-Kind: ", rnd.IntN(9)), "X-Long: "+strings.Repeat("l", rnd.IntN(4000)))
			if i%4 == 0 && strings.HasPrefix(g.cacheStatus(), "plimsoll; hit") {
				popular++
			}
			if i%500 == 0 {
				r.audit()
			}
			s := r.Snapshot()
			if s.Bytes > 256<<10 || s.Entries > 100 {
				t.Fatalf("after %d requests: %+v", i, s)
			}
			time.Sleep(time.Millisecond)
		}
		t.Logf("%+v", r.Snapshot())
		if s := r.Snapshot(); s.Evicted == 0 || s.Stored < 300 || popular < 200 {
			t.Errorf("%d hits on what is popular; %+v", popular, s)
		}
	})
}

// TestScansDoNotWashOut: keys that are asked for once leave those alone that are
// asked for again.
func TestScansDoNotWashOut(t *testing.T) {
	play(t, Config{Entries: 100}, Policy{}, func(r *rig) {
		r.says(200, "Cache-Control: max-age=600000")
		for i := range 50 {
			r.get(fmt.Sprint("/hot/", i))
			r.get(fmt.Sprint("/hot/", i))
		}
		for i := range 10_000 {
			r.get(fmt.Sprint("/cold/", i))
			if i%50 == 0 {
				r.get(fmt.Sprint("/hot/", i/50%50))
			}
		}
		before := r.reached()
		for i := range 50 {
			r.get(fmt.Sprint("/hot/", i))
		}
		if missed := r.reached() - before; missed > 25 {
			t.Errorf("%d of 50 have been washed out", missed)
		}
		if s := r.Snapshot(); s.Entries != 100 {
			t.Errorf("%+v", s)
		}
	})
}

// TestVariantsAreBounded: the oldest of a key goes.
func TestVariantsAreBounded(t *testing.T) {
	play(t, Config{Variants: 4}, Policy{}, func(r *rig) {
		r.says(200, minute, "Vary: X-Kind")
		for i := range 1000 {
			r.get("/a", fmt.Sprint("X-Kind: ", i))
		}
		if s := r.Snapshot(); s.Entries != 4 || s.Keys != 1 {
			t.Errorf("%+v", s)
		}
		r.want(r.get("/a", "X-Kind: 996"), 200, "hit")
		r.want(r.get("/a", "X-Kind: 995"), 200, "fwd=vary-miss; stored")
		r.want(r.get("/a"), 200, "fwd=vary-miss; stored")
		r.want(r.get("/a"), 200, "hit")
		r.want(r.get("/a", "X-Kind: "), 200, "fwd=vary-miss") // empty is not absent
	})
}

// TestAnswersOvertake: what was asked for later stays.
func TestAnswersOvertake(t *testing.T) {
	s := newStore(Config{}.defaults())
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	made := func(asked time.Duration) *entry {
		h := http.Header{"Cache-Control": {"max-age=60"}}
		return newEntry(200, http.Header{}, h, exchange{now.Add(asked), now.Add(time.Minute)}, grant{}).withBody(nil)
	}
	late, early := made(2*time.Second), made(time.Second)
	if !s.put("k", late, 0) || s.put("k", early, 0) {
		t.Error("an older answer has replaced a newer")
	}
	if f := s.find("k", http.Header{}, now); f.entry != late {
		t.Error(f)
	}
	s.drop("k")
	if s.put("k", late, 0) {
		t.Error("what was asked for before the key was dropped is stored")
	}
	if !s.put("k", late, s.find("k", nil, now).epoch) {
		t.Error("it is stored no more")
	}
}

func TestConfigFaults(t *testing.T) {
	err := Config{Bytes: -1, Entries: -1, ObjectBytes: -1, Variants: -1, Flight: -1, Refreshes: -1}.Validate()
	if err == nil || strings.Count(err.Error(), "\n") != 5 {
		t.Error(err)
	}
	if err := (Config{Bytes: 10, ObjectBytes: 11}).Validate(); err == nil {
		t.Error("an answer that does not fit")
	}
	if err := (Config{}).Validate(); err != nil {
		t.Error(err)
	}
	for name, f := range map[string]func(){
		"New":               func() { New(Config{Bytes: -1}) },
		"a policy of none":  func() { New(Config{}).Handler(Policy{}) },
		"a negative window": func() { New(Config{}).Handler(Policy{Forward: http.NotFoundHandler(), StaleIfError: -1}) },
	} {
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.HasPrefix(v, "cache: ") {
					t.Errorf("%s panics with %q", name, v)
				}
			}()
			f()
		}()
	}
}

// TestConfigure: other bounds hold for what is there already, and what fits
// stays.
func TestConfigure(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		for i := range 100 {
			r.says(200, minute, "", strings.Repeat("x", 1000*(i%10+1)))
			r.get("/" + strconv.Itoa(i))
		}
		r.Configure(Config{ObjectBytes: 8 << 10})
		if s := r.Snapshot(); s.Evicted == 0 || s.Evicted != uint64(100-answersIn(r)) {
			t.Errorf("%+v", s)
		}
		r.audit()
		r.want(r.get("/0"), 200, "hit")
		r.want(r.get("/9"), 200, "fwd=uri-miss") // with 10,000 bytes too long
		r.Configure(Config{Entries: 5})
		r.audit()
		if s := r.Snapshot(); s.Entries > 5 {
			t.Errorf("%+v", s)
		}
		r.Configure(Config{Bytes: 1, ObjectBytes: 1})
		if s := r.Snapshot(); s.Entries != 0 || s.Bytes != 0 {
			t.Errorf("%+v", s)
		}
		r.audit()
		r.want(r.get("/0"), 200, "fwd=uri-miss")
	})
}

// answersIn counts the answers stored.
func answersIn(r *rig) (n int) {
	r.Cache.store.mu.Lock()
	defer r.Cache.store.mu.Unlock()
	for _, rec := range r.Cache.store.records {
		n += len(rec.variants)
	}
	return n
}
