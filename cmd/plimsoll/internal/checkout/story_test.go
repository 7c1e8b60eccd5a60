package checkout

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain is the services of the story when the story starts this program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "demo" {
		s := Service{Quotes: slices.Contains(os.Args, "--quotes")}
		for _, arg := range os.Args[2:] {
			if v, ok := strings.CutPrefix(arg, "--role="); ok {
				s.Role = v
			}
			if v, ok := strings.CutPrefix(arg, "--behind="); ok {
				s.Behind = v
			}
		}
		if err := s.Run(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// short is the story in a few seconds: enough to go through every part of it,
// too short for its figures to mean much.
func short() plan {
	const ms = time.Millisecond
	return plan{
		measured: time.Second, callers: 20,
		quotes: step{rate: 30, settle: 200 * ms, counted: 300 * ms}, others: 20,
		before: [][]step{{{"", 50, 200 * ms, 300 * ms}, {recovery, 30, 200 * ms, 1300 * ms}}},
		after:  []step{{name: warmUp, rate: 50, settle: 200 * ms}, {"", 50, 200 * ms, 300 * ms}, {recovery, 30, 200 * ms, 1300 * ms}},
	}
}

func TestStory(t *testing.T) {
	r, err := short().tell(t.Context(), &live{out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if r.whole <= 0 || r.first <= 0 || r.cheapest <= 0 {
		t.Errorf("capacities %+v", r.capacities)
	}
	if len(r.before) != 2 || len(r.after) != 3 {
		t.Fatalf("%d and %d rows", len(r.before), len(r.after))
	}
	for _, rows := range [][]row{r.before, r.after} {
		for _, row := range rows {
			if row.visitors == 0 || row.counted > 0 && (row.offered == 0 || row.attempts == 0) {
				t.Errorf("%+v", row)
			}
		}
	}
	var text, encoded bytes.Buffer
	r.print(&text)
	for _, want := range []string{"whole pages a second", "before ", "after ", "its other callers"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, text.String())
		}
	}
	if err := r.writeJSON(&encoded); err != nil {
		t.Fatal(err)
	}
	var back resultJSON
	if err := json.Unmarshal(encoded.Bytes(), &back); err != nil || len(back.After) != 2 || back.Version != 1 {
		t.Errorf("%v: %s", err, encoded.String())
	}
}

func TestInterruptEndsTheStory(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := short().tell(ctx, &live{out: io.Discard}); err == nil {
		t.Error("no error after an interrupt")
	}
}

func TestNoSuchRole(t *testing.T) {
	if err := (Service{Role: "cashier"}).Run(strings.NewReader(""), io.Discard); err == nil {
		t.Error("no error")
	}
}
