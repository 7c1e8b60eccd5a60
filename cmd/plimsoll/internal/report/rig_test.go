package report

import (
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

var began = time.Date(2026, 11, 3, 12, 0, 0, 500_000_000, time.UTC)

// overload is a load that the service cannot bear from 4 s to 8 s of 12.
func overload() (*tally.Tally, result.Result) {
	const ms = time.Millisecond
	t := tally.New([]tally.Class{{Name: "checkout", Criticality: "CRITICAL"}, {Name: "batch", Criticality: "SHEDDABLE"}}, 12*time.Second)
	gap := 10 * ms
	for due, i := time.Duration(0), 0; due < 12*time.Second; i++ {
		peak := due >= 4*time.Second && due < 8*time.Second
		gap = 10 * ms
		if peak {
			gap = 3 * ms
		}
		due += gap
		r := tally.Request{Class: i % 2, Due: due, Sent: due + time.Duration(i%5)*100*time.Microsecond, Outcome: openloop.Good}
		r.Last, r.Done = r.Sent, r.Sent+time.Duration(20+i%17)*ms
		t.Offered(r.Class, due)
		switch {
		case i%211 == 7:
			t.Skip(r.Class, due, "in_flight")
			continue
		case peak && i%2 == 1 && i%3 > 0:
			t.Attempt(r.Class, r.Done, openloop.Refused, "busy")
			r.Last = r.Done + 10*ms
			r.Done, r.Outcome, r.Reason = r.Last+ms, openloop.Refused, "busy"
			if i%5 == 0 {
				r.Reason = "predicted_late"
			}
		case peak && i%7 == 0:
			r.Done, r.Outcome = due+250*ms, openloop.Late
		case i%97 == 0:
			r.Outcome, r.Reason = openloop.Failed, "reset"
		}
		t.Attempt(r.Class, r.Done, r.Outcome, r.Reason)
		t.End(r)
	}
	peak := 8.0
	return t, result.Result{
		Target: "http://127.0.0.1:8080", Schedule: "100/s, from 4 s to 8 s 333/s", Seed: 1, Began: began,
		Length: 12, Ran: 12, PeakEnd: &peak,
	}
}
