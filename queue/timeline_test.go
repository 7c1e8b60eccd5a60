package queue

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// A timeline is a configuration and lines "time operation : what is to come
// of it", where a push of which nothing is said is queued. Times are
// milliseconds. The operations:
//
//	push NAME [KEY=VALUE]..   crit, level, tenant, cost, by (deadline), leave, internal
//	pop, drain                the next one, everybody in turn
//	remove NAME
//	expire                    everybody dead
//	ask WORD                  worst, newest, beside, standing, leave, depth, tenanted, room
//	places N, order NAME      configure anew
type timeline struct {
	name   string
	config Config
	script string
}

func (tl timeline) run(t *testing.T) {
	q := New()
	q.Configure(0, tl.config)
	items, config := map[string]*Item{}, tl.config
	for line := range strings.Lines(tl.script) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		do, want, told := strings.Cut(line, " :")
		f := strings.Fields(do)
		if want = strings.TrimSpace(want); !told && f[1] == "push" {
			want = "queued"
		}
		at, err := strconv.Atoi(f[0])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		now := time.Duration(at) * time.Millisecond
		if got := play(t, q, &config, items, now, f[1:]); got != want {
			t.Fatalf("%s: have %q", line, got)
		}
		if err := q.check(); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func play(t *testing.T, q *Queue, c *Config, items map[string]*Item, now time.Duration, f []string) string {
	var list []string
	collect := func(next func(time.Duration) *Item) string {
		for it := next(now); it != nil; it = next(now) {
			list = append(list, name(it))
		}
		return strings.Join(list, " ")
	}
	switch f[0] {
	case "push":
		it := parseItem(t, now, f[1:])
		items[f[1]] = it
		return answer(q.Push(now, it))
	case "pop":
		return name(q.Pop(now))
	case "drain":
		return collect(q.Pop)
	case "expire":
		return collect(q.Expired)
	case "remove":
		q.Remove(items[f[1]])
		return ""
	case "ask":
		return ask(q, now, f[1])
	case "places":
		c.Places, _ = strconv.Atoi(f[1])
	case "order":
		if err := c.Order.UnmarshalText([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("no operation %q", f[0])
	}
	q.Configure(now, *c)
	return ""
}

func ask(q *Queue, now time.Duration, word string) string {
	switch word {
	case "worst":
		return q.Worst().String()
	case "newest":
		return fmt.Sprint(q.NewestFirst(now))
	case "beside":
		return fmt.Sprint(q.NewestFirstBeside(now, &Item{Rank: class.RankOf(class.Critical, 0)}))
	case "standing":
		return q.Standing(now).String()
	case "leave":
		if q.NextLeave() == Never {
			return "never"
		}
		return q.NextLeave().String()
	case "tenanted":
		return fmt.Sprint(q.Tenanted())
	case "room":
		return fmt.Sprint(q.Room(false), q.Room(true))
	}
	return fmt.Sprint(q.Depth())
}

func parseItem(t *testing.T, now time.Duration, f []string) *Item {
	it := &Item{Owner: f[0], Arrived: now, Deadline: Never, Leave: Never}
	crit, level := class.Critical, 0
	for _, kv := range f[1:] {
		k, v, _ := strings.Cut(kv, "=")
		n, _ := strconv.Atoi(v)
		switch k {
		case "crit":
			c, ok := class.Parse(v)
			if !ok {
				t.Fatalf("no criticality %q", v)
			}
			crit = c
		case "level":
			level = n
		case "tenant":
			it.Tenant = uint64(n)
		case "cost":
			it.Cost = int64(n)
		case "by":
			it.Deadline = time.Duration(n) * time.Millisecond
		case "leave":
			it.Leave = time.Duration(n) * time.Millisecond
		case "internal":
			it.Internal = true
		default:
			t.Fatalf("no key %q", k)
		}
	}
	it.Rank = class.RankOf(crit, class.Level(level))
	return it
}

func name(it *Item) string {
	if it == nil {
		return "nobody"
	}
	return it.Owner.(string)
}

func answer(p Push) string {
	switch {
	case p.Verdict == Refused:
		return "refused"
	case p.Evicted == nil:
		return "queued"
	case p.Expired:
		return "for dead " + name(p.Evicted)
	case p.Share:
		return "for the share of " + name(p.Evicted)
	}
	return "for " + name(p.Evicted)
}

func runTimelines(t *testing.T, all []timeline) {
	for _, tl := range all {
		t.Run(tl.name, tl.run)
	}
}
