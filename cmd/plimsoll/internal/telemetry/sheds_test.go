package telemetry

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// lines are what was logged since the last call, without times.
func (b *bench) lines() (out []map[string]any) {
	for line := range strings.Lines(b.log.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			b.Fatalf("%q: %v", line, err)
		}
		delete(v, "time")
		out = append(out, v)
	}
	b.log.Reset()
	return out
}

// Of each reason the first two of a second are logged, and then how many were
// left out, when the next second begins for it or the clock ticks.
func TestShedLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		r := httptest.NewRequest("GET", "/secret?name=value", nil)
		refuse := func(reason plimsoll.Reason, n int) {
			for range n {
				b.route.Observe(r, httpgate.Ended{
					Refusal: &plimsoll.Refusal{Reason: reason, RetryAfter: time.Second}, Criticality: class.Sheddable, Attempt: 2, Status: 503,
				})
			}
		}
		refuse(plimsoll.QueueFull, 5)
		refuse(plimsoll.MaxWait, 1)
		lines := b.lines()
		if len(lines) != 3 {
			t.Fatalf("%v", lines)
		}
		for key, want := range map[string]any{
			"level": "INFO", "msg": "refused", "gate": "gate", "route": "all", "class": "SHEDDABLE", "reason": "queue_full",
			"status": 503.0, "attempt": 2.0, "retry_after": 1e9,
		} {
			if lines[0][key] != want {
				t.Errorf("%s is %v, want %v", key, lines[0][key], want)
			}
		}
		if len(lines[0]) != 9 { // and nothing that the client chose
			t.Errorf("%v", lines[0])
		}
		b.recorder.Tick(time.Now())
		if lines := b.lines(); len(lines) != 0 {
			t.Errorf("the second is not over, and there is %v", lines)
		}
		time.Sleep(time.Second)
		b.recorder.Tick(time.Now())
		if lines := b.lines(); len(lines) != 1 || lines[0]["msg"] != "refused, not logged" || lines[0]["count"] != 3.0 || lines[0]["reason"] != "queue_full" {
			t.Errorf("%v", lines)
		}
		refuse(plimsoll.QueueFull, 3)
		time.Sleep(time.Second)
		refuse(plimsoll.QueueFull, 1)
		if lines := b.lines(); len(lines) != 4 || lines[2]["count"] != 1.0 || lines[3]["msg"] != "refused" {
			t.Errorf("%v", lines)
		}
		b.recorder.LogSheds(0)
		refuse(plimsoll.QueueFull, 3)
		if lines := b.lines(); len(lines) != 0 {
			t.Errorf("switched off, and there is %v", lines)
		}
	})
}
