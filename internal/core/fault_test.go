package core

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/queue"
)

// TestFaults: what is of no use is said, with its key; what is, passes.
func TestFaults(t *testing.T) {
	fifo := queue.OldestFirst
	for name, tc := range map[string]struct {
		c    Config
		want string // the keys of the faults
	}{
		"nothing":                  {Config{}, ""},
		"CoDel":                    {Config{Order: fifo, CoDel: &queue.CoDel{}}, ""},
		"CoDel, newest first":      {Config{Order: queue.NewestFirst, CoDel: &queue.CoDel{}}, "CoDel "},
		"CoDel, bad":               {Config{Order: fifo, CoDel: &queue.CoDel{Interval: -1}}, "CoDel "},
		"two timeouts":             {Config{MaxWait: time.Second, StandingWait: time.Second}, ""},
		"the longer one first":     {Config{MaxWait: time.Second, StandingWait: 2 * time.Second}, "StandingWait "},
		"longer than the default":  {Config{StandingWait: time.Second}, "StandingWait "},
		"nobody waits":             {Config{MaxWait: -1, StandingWait: 1}, "StandingWait "},
		"nothing stands":           {Config{Standing: -1, StandingWait: 1}, "StandingWait "},
		"promotion in time":        {Config{PromoteAfter: 499 * time.Millisecond}, ""},
		"promotion too late":       {Config{PromoteAfter: 500 * time.Millisecond}, "PromoteAfter "},
		"set aside in the end":     {Config{DeadLetterAfter: 500 * time.Millisecond}, ""},
		"set aside after the end":  {Config{DeadLetterAfter: time.Second}, "DeadLetterAfter "},
		"bytes":                    {Config{MaxQueueBytes: -1}, "MaxQueueBytes "},
		"shares":                   {Config{Shares: queue.Shares{10, 0, 90, 0}}, ""},
		"shares of too much":       {Config{Shares: queue.Shares{10, 0, 91, 0}}, "Shares "},
		"shares without a queue":   {Config{MaxQueue: -1, Shares: queue.Shares{10, 0, 90, 0}}, "Shares "},
		"shares that are not that": {Config{MaxWait: -1, Shares: queue.Shares{-1, 0, 0, 0}}, "Shares Shares "},
	} {
		got := ""
		for _, f := range Faults(tc.c) {
			got += f.Key + " "
		}
		if got != tc.want {
			t.Errorf("%s: faults %q, want %q", name, got, tc.want)
		}
	}
}
