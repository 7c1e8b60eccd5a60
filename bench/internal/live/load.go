package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// exitInvalid is how the load generator ends when it was late itself, or had
// too many requests on their way; its result says so and is complete.
const exitInvalid = 3

// outcome is what the load generator says of a run: those keys of its JSON that
// are asked for here.
type outcome struct {
	Version int       `json:"version"`
	Invalid []string  `json:"invalid"`
	Step    float64   `json:"step_s"`
	Part    float64   `json:"part_s"`
	All     account   `json:"all"`
	Classes []account `json:"classes"`
}

type account struct {
	Name     string   `json:"name"`
	Attempts int64    `json:"attempts"`
	Recovery *float64 `json:"recovery_s"`
	Slip     struct {
		P99 float64 `json:"p99_ms"`
	} `json:"slip"`
	Series []second `json:"series"`
	Parts  []string `json:"latency_parts"` // by second, HdrHistogram V2, in nanoseconds
}

// second is what became of those due in one second, but for Answered: who were
// answered well in it, whenever they were due.
type second struct {
	Offered  int64 `json:"offered"`
	Good     int64 `json:"good"`
	Late     int64 `json:"late"`
	Refused  int64 `json:"refused"`
	Failed   int64 `json:"failed"`
	Answered int64 `json:"answered"`
}

// arguments are those of the load generator for a row.
func arguments(r Row, url string, capacity float64, deadline time.Duration, seed uint64) []string {
	args := []string{"load", url, "--rate", r.schedule(capacity), "--deadline", deadline.String(), "--seed", fmt.Sprint(seed), "--json", "-", "--quiet"}
	for i, c := range Classes {
		args = append(args, "--class", fmt.Sprintf("%s:%g", c, r.Mix[i]))
	}
	if r.Attempts > 1 {
		args = append(args, "--retries", fmt.Sprint(r.Attempts-1))
	}
	if r.Backoff {
		args = append(args, "--backoff", backoff.String())
	}
	return args
}

// backoff is the pause before the first retry of callers who make one.
const backoff = 50 * time.Millisecond

// load runs the load generator.
func load(ctx context.Context, program string, args []string) (*outcome, error) {
	c := exec.CommandContext(ctx, program, args...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitInvalid {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, said.String())
	}
	var o outcome
	if err := json.Unmarshal(out, &o); err != nil {
		return nil, fmt.Errorf("what %s says of a run: %w", program, err)
	}
	if o.Version != 1 || o.Step != 1 || o.Part != 1 || len(o.Classes) != len(Classes) {
		return nil, fmt.Errorf("want version 1 and %d classes by the second of %s, have version %d, %d classes by %gs and %gs",
			len(Classes), program, o.Version, len(o.Classes), o.Step, o.Part)
	}
	return &o, nil
}

// served is how long those waited who were answered in time and due in some
// seconds: quantiles in milliseconds. Parts have those as well who left
// unserved at their deadline, and so are the longest: late is how many.
func served(parts []string, late int64, quantiles ...float64) ([]float64, error) {
	var all *hdrhistogram.Histogram
	for _, text := range parts {
		if text == "" {
			continue
		}
		h, err := hdrhistogram.Decode([]byte(text))
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = h
		} else if lost := all.Merge(h); lost > 0 {
			return nil, fmt.Errorf("%d of the latencies are longer than those before", lost)
		}
	}
	out := make([]float64, len(quantiles))
	if all == nil {
		return out, nil
	}
	n := all.TotalCount()
	if late >= n {
		return out, nil
	}
	for i, q := range quantiles {
		out[i] = float64(all.ValueAtQuantile(100*q*float64(n-late)/float64(n))) / 1e6
	}
	return out, nil
}
