package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
	"github.com/plimsoll-go/plimsoll/e2e/internal/repository"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// station is a service of some workers, each of which serves one request at a
// time; nil: it answers at once.
type station struct {
	workers chan struct{}
	takes   time.Duration
}

func (s *station) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s != nil {
		select {
		case s.workers <- struct{}{}:
		case <-r.Context().Done():
			return
		}
		<-time.After(s.takes)
		<-s.workers
	}
	_, _ = io.WriteString(w, "done\n")
}

// recording is the configuration of a proxy that writes a trace.
const recording = `
version: 1
admin: ADMIN
listeners: [{address: "LISTEN"}]
upstreams: {shop: {endpoints: ["http://SERVICE"]}}
trust: {everyone: true}
classes: {people: {tenantHeader: X-Tenant}}
routes:
  - {name: pay, class: people, match: {path: /pay}}
  - {name: rest, class: people}
record: {file: FILE}
`

// record has a proxy before a service write a trace of what a load is, and
// returns the trace and what the load came to.
func record(t *testing.T, service *station, load ...string) ([]sim.Record, tallied) {
	t.Helper()
	at := addresses(t, 2)
	file := filepath.Join(t.TempDir(), "trace.csv")
	text := strings.NewReplacer("SERVICE", serve(t, service), "FILE", file).Replace(recording)
	if err := repository.Sources(root); err != nil {
		t.Fatal(err)
	}
	p, err := process.Start(program, at[0], at[1], "--config", settings(t, at, text))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	r := &rig{TB: t, Process: p, url: "http://" + p.Listen}
	result := filepath.Join(t.TempDir(), "result.json")
	out, err := exec.Command(program, append([]string{"load", "run", r.url, "--quiet", "--json", result, "--tenant-header", "X-Tenant"}, load...)...).CombinedOutput()
	// A machine that is busy makes a run invalid, which it says by 3; that is no matter here.
	if exit := new(exec.ExitError); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 3) {
		t.Fatalf("%v: %s", err, out)
	}
	r.atRest()
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	var came tallied
	decode(t, readFile(t, result), &came)
	return readTrace(t, file), came
}

// tallied is what a load came to, as far as these tests look.
type tallied struct {
	All     counted
	Classes []counted
}

type counted struct {
	Name    string
	Offered int
	Skipped map[string]int
	Sent    int
	Good    int
	Latency struct {
		P50 float64 `json:"p50_ms"`
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t *testing.T, text []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// readTrace reads a trace that has to be in order.
func readTrace(t *testing.T, name string) []sim.Record {
	t.Helper()
	var all []sim.Record
	for rec, err := range trace.Each(bytes.NewReader(readFile(t, name))) {
		if err != nil {
			t.Fatal(err)
		}
		if n := len(all); n > 0 && rec.At < all[n-1].At {
			t.Errorf("record %d is out of order", n)
		}
		all = append(all, rec)
	}
	return all
}

// shape is what a replay must have in common with what was recorded.
type shape struct {
	kinds   map[string]int // by kind and class
	tenants []int          // how many requests each has, in rising order
	gaps    []float64      // between arrivals, in seconds, in rising order
	length  time.Duration
}

func shapeOf(records []sim.Record) shape {
	s := shape{kinds: map[string]int{}, length: records[len(records)-1].At}
	tenants := map[string]int{}
	for i, r := range records {
		s.kinds[r.Kind+" "+r.Criticality.String()]++
		tenants[r.Tenant]++
		if i > 0 {
			s.gaps = append(s.gaps, (r.At - records[i-1].At).Seconds())
		}
	}
	for _, n := range tenants {
		s.tenants = append(s.tenants, n)
	}
	slices.Sort(s.tenants)
	slices.Sort(s.gaps)
	return s
}

// distance is that of Kolmogorov and Smirnov between two samples in rising
// order, the second of which is as many times longer.
func distance(a, b []float64, times float64) (most float64) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if a[i] <= b[j]*times {
			i++
		} else {
			j++
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return most
}

// deadline is the one in the middle of those of CRITICAL requests. A replay sends
// what is left of them.
func deadline(records []sim.Record) time.Duration {
	var all []time.Duration
	for _, r := range records {
		if r.Criticality == class.Critical {
			all = append(all, r.Deadline)
		}
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// What a proxy has recorded is sent by a load generator as it was, at its speed
// and at five times that, and played by the simulator with figures like those of
// the real run.
func TestRecordReplaySimulate(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a quarter of a minute")
	}
	service := &station{make(chan struct{}, 4), 20 * time.Millisecond} // 200 a second
	classes := []string{
		"--class", "CRITICAL_PLUS:1,name=pay,path=/pay,deadline=1s,tenants=3", "--class", "CRITICAL:5,name=rest,deadline=700ms,tenants=5",
		"--class", "SHEDDABLE:4,name=more,deadline=500ms",
	}
	lost := feel(t)
	records, came := record(t, service, append(classes, "--rate", "spike 100/s..400/s from 2s for 2s", "--for", "6s")...)
	busy := lost()
	dir := t.TempDir()
	t.Chdir(dir)
	var text bytes.Buffer
	if err := trace.WriteCSV(&text, records); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("incident.csv", text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(records) != came.All.Sent || came.All.Sent < 900 && busy < mostLost {
		t.Fatalf("%d records of %d that were sent", len(records), came.All.Sent)
	}
	want := shapeOf(records)
	for i, key := range []string{"pay CRITICAL_PLUS", "rest CRITICAL", "rest SHEDDABLE"} {
		if c := came.Classes[i]; want.kinds[key] != c.Sent {
			t.Errorf("%s: %d records of %d that were sent", key, want.kinds[key], c.Sent)
		}
	}
	for _, speed := range []float64{1, 5} {
		t.Run(fmt.Sprintf("%vx", speed), func(t *testing.T) {
			lost := feel(t)
			again, sent := record(t, nil, append(classes, "--replay", "incident.csv", "--speed", fmt.Sprintf("%vx", speed))...)
			busy := lost()
			if sent.All.Offered != len(records) || sent.All.Sent != len(again) {
				t.Errorf("%d were due of %d, %d sent and %d recorded", sent.All.Offered, len(records), sent.All.Sent, len(again))
			}
			sameRequests(t, want, shapeOf(again), len(records)-len(again))
			sameTimes(t, records, again, speed, busy)
		})
	}
	t.Run("simulated", func(t *testing.T) { simulatedAlike(t, came, len(records), busy) })
}

// sameRequests checks that what was sent again is what it was.
func sameRequests(t *testing.T, want, have shape, skipped int) {
	t.Helper()
	for key, n := range want.kinds {
		if m := have.kinds[key]; m > n || m < n-skipped {
			t.Errorf("%s: %d of %d, with %d skipped", key, m, n, skipped)
		}
	}
	if skipped == 0 && !slices.Equal(have.tenants, want.tenants) {
		t.Errorf("the tenants have %v, and had %v", have.tenants, want.tenants)
	}
}

// sameTimes checks that it was sent when it was, so many times faster. It cannot
// be on a machine that is busy with others.
func sameTimes(t *testing.T, records, again []sim.Record, speed, busy float64) {
	t.Helper()
	if is, was := deadline(again), deadline(records); is > was || is < was*8/10 && busy < mostLost {
		t.Errorf("half of the deadlines are below %s, and were below %s", is, was)
	}
	if busy >= mostLost {
		t.Skipf("times are not compared: %.0f %% of the time was lost on a busy machine", 100*busy)
	}
	want, have := shapeOf(records), shapeOf(again)
	if d := distance(want.gaps, have.gaps, speed); d > 0.25 {
		t.Errorf("the distance of the gaps is %v, with %.1f %% of the time lost", d, 100*busy)
	}
	if ratio := want.length.Seconds() / have.length.Seconds() / speed; ratio < 0.9 || ratio > 1.1 {
		t.Errorf("it took %s of %s", have.length, want.length)
	}
}

// simulatedAlike checks that the simulator makes of the trace what the real run
// came to.
func simulatedAlike(t *testing.T, came tallied, records int, busy float64) {
	t.Helper()
	scenario, err := exec.Command(program, "sim", "trace", "incident.csv").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("incident.yaml", scenario, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "sim", "run", "incident.yaml", "--policy", "default", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var played struct {
		Runs []struct {
			Total struct{ Offered, Good int }
		}
	}
	decode(t, out, &played)
	total := played.Runs[0].Total
	t.Logf("%d of %d in time, %d as it is played by\n%s", came.All.Good, records, total.Good, scenario)
	if total.Offered != records {
		t.Errorf("%d of %d are played", total.Offered, records)
	}
	if busy >= mostLost {
		t.Skipf("what was in time is not compared: %.0f %% of the time was lost on a busy machine", 100*busy)
	}
	if ratio := float64(total.Good) / float64(came.All.Good); ratio < 0.75 || ratio > 1.3 {
		t.Errorf("%d of %d in time, %d as it is played", came.All.Good, records, total.Good)
	}
}

// A disk that is full costs nobody an answer. What has found room is whole, what
// has not is counted, and with room again it goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel() // a disk that is full is tried again after seconds
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("there is no small disk to be had: %v: %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}()
	file := filepath.Join(dir, "trace.ndjson")
	r, _ := before(t, "--record", file)
	c := r.client(false)
	sent := 0
	send := func(n int) {
		for range n {
			if a, err := r.get(t.Context(), c, "/"); err != nil || a.StatusCode >= 500 {
				t.Fatalf("answered %v, %v", a, err)
			}
			sent++
		}
	}
	count := func(result string) int {
		return int(r.metrics()[fmt.Sprintf("plimsoll_recorded_requests_total{result=%q}", result)])
	}
	r.until("the disk is full", func() bool {
		send(100)
		return r.metrics()["plimsoll_recording"] == 0
	})
	r.until("every request is accounted for", func() bool { return count("written")+count("lost")+count("dropped") == sent })
	if n := len(readTrace(t, file)); n != count("written") || n == 0 || count("dropped") != 0 {
		t.Errorf("%d records, %d written, %d dropped", n, count("written"), count("dropped"))
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	r.until("it goes on", func() bool {
		send(1) // what is to be written says that there is room
		return r.metrics()["plimsoll_recording"] == 1
	})
}

// A line of a trace that is broken is told by its place, before anything is
// sent.
func TestBrokenTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("broken.csv", []byte("time,class\n0,CRITICAL\n1,VITAL\n-1,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "broken.csv:3: class: want CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE, have \"VITAL\"\n" +
		"broken.csv:4: time: want a time of 0 or more as seconds or with a unit, such as 1.5 or 1500ms, have \"-1\"\n"
	for _, args := range [][]string{{"sim", "trace", "broken.csv"}, {"load", "run", "http://127.0.0.1:9", "--replay", "broken.csv"}} {
		out, err := exec.Command(program, args...).CombinedOutput()
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v\n%s\nwant\n%s", args, err, out, want)
		}
	}
}
