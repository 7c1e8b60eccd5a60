package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

const releaseGate = "../deploy/ci/release-gate.sh"

// shop is a service of four workers, each busy for 20 ms with a request. Who
// left is served all the same: the worker does not know.
func shop(t *testing.T) http.Handler {
	workers, stop := make(chan struct{}, 4), make(chan struct{})
	t.Cleanup(func() { close(stop) })
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case workers <- struct{}{}:
		case <-stop:
			return
		}
		defer func() { <-workers }()
		select {
		case <-time.After(20 * time.Millisecond):
		case <-stop:
		}
		_, _ = w.Write([]byte("done\n"))
	})
}

// capacityOf is how many requests a second a service answers that always has a
// few to do.
func capacityOf(t *testing.T, url string) float64 {
	const measured = time.Second
	ctx, cancel := context.WithTimeout(t.Context(), measured)
	defer cancel()
	var answered atomic.Int64
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			for ctx.Err() == nil {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := http.DefaultClient.Do(r)
				if err == nil {
					answered.Add(1)
					_ = resp.Body.Close()
				}
			}
		})
	}
	asking.Wait()
	return float64(answered.Load()) / measured.Seconds()
}

// judge plays the release gate of deploy/ci on a service, and returns how it
// ends, and what it says.
func judge(t *testing.T, url string, capacity float64, reports string, flags ...string) (code int, said string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", append([]string{releaseGate, url}, flags...)...)
	c.Env = append(os.Environ(), "PLIMSOLL="+program, "CAPACITY="+strconv.FormatFloat(capacity, 'f', -1, 64),
		"BEFORE=1s", "DURING=3s", "AFTER=3s", "REPORTS="+reports)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

// TestReleaseGateTellsAServiceWithoutALimiter: the same service at twice what it
// can do, which passes with the gate before it and fails without.
func TestReleaseGateTellsAServiceWithoutALimiter(t *testing.T) {
	if testing.Short() {
		t.Skip("takes twice seven seconds of load")
	}
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip(err)
	}
	gate, err := plimsoll.New(plimsoll.Config{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	service := shop(t)
	with := httptest.NewServer(httpgate.Handler(gate, service))
	defer with.Close()
	without := httptest.NewServer(service)
	defer without.Close()
	capacity := capacityOf(t, without.URL)
	t.Logf("it takes %.0f/s", capacity)

	for _, tt := range []struct {
		name, url string
		want      int
	}{{"with the gate", with.URL, 0}, {"without", without.URL, 99}} {
		reports := t.TempDir()
		code, said := judge(t, tt.url, capacity, reports,
			"--class", "critical:0.3,deadline=500ms", "--class", "sheddable:0.7,deadline=500ms",
			"--threshold", "goodput{class=CRITICAL} >= 0.9", "--threshold", "recovery < 2s",
			"--max-slip", "100ms") // generator and service share the processors with all else
		if code == 3 {
			t.Skipf("%s: this machine is too busy to say:\n%s", tt.name, said)
		}
		if code != tt.want {
			t.Errorf("%s: exit %d, want %d:\n%s", tt.name, code, tt.want, said)
		}
		if missed := strings.Contains(said, "missed\n  goodput{class=CRITICAL} >= 0.9: have "); missed != (tt.want == 99) {
			t.Errorf("%s: no line of what is missed, or one too many:\n%s", tt.name, said)
		}
		t.Logf("%s: exit %d\n%s", tt.name, code, said)
		data, err := os.ReadFile(filepath.Join(reports, "release-gate.json"))
		if err != nil || !json.Valid(data) {
			t.Errorf("%s: no result as JSON: %v", tt.name, err)
		}
		page, err := os.ReadFile(filepath.Join(reports, "release-gate.html"))
		if err != nil || !strings.Contains(string(page), "Goodput beside throughput") || strings.Contains(string(page), "✗ missed") != (tt.want == 99) {
			t.Errorf("%s: no page of it: %v", tt.name, err)
		}
	}
}

func TestReleaseGateFaults(t *testing.T) {
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip(err)
	}
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	reports := t.TempDir()
	for _, tt := range []struct {
		capacity float64
		flags    []string
		want     string
	}{
		{0, nil, "want a number above 0 as CAPACITY, have 0"},
		{1e9, nil, "--rate"},
		{100, []string{"--threshold", "gooput >= 0.9"}, "did you mean goodput?"},
		{100, []string{"--threshold", "goodput{class=SHEDABLE} >= 0.9", "--class", "critical:1", "--class", "sheddable:1"}, "did you mean SHEDDABLE?"},
	} {
		if code, said := judge(t, s.URL, tt.capacity, reports, tt.flags...); code != 2 || !strings.Contains(said, tt.want) {
			t.Errorf("exit %d, want 2 and %q:\n%s", code, tt.want, said)
		}
	}
}

// TestWorkflowOfCI: the workflow is one, its actions are pinned, and what it
// says to the release gate is what plimsoll load takes.
func TestWorkflowOfCI(t *testing.T) {
	data, err := os.ReadFile("../deploy/ci/github.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		On   map[string]any
		Jobs map[string]struct {
			RunsOn  string `yaml:"runs-on"`
			Timeout int    `yaml:"timeout-minutes"`
			Env     map[string]string
			Steps   []struct{ Name, Uses, Run, If string }
		}
	}
	if err := yaml.Unmarshal(data, &workflow); err != nil {
		t.Fatal(err)
	}
	job := workflow.Jobs["overload"]
	if len(workflow.On) == 0 || job.RunsOn == "" || job.Timeout == 0 || job.Env["CAPACITY"] == "" {
		t.Errorf("%+v", workflow)
	}
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	judged := false
	for _, step := range job.Steps {
		if step.Uses != "" && !pinned.MatchString(step.Uses) {
			t.Errorf("%s is not pinned", step.Uses)
		}
		if step.Run == "" {
			continue
		}
		c := exec.Command("sh", "-n")
		c.Stdin = strings.NewReader(step.Run)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", step.Name, err, out)
		}
		if _, flags, ok := strings.Cut(step.Run, "release-gate.sh http://127.0.0.1:8080"); ok {
			judged = true
			s := httptest.NewServer(http.NotFoundHandler())
			c := exec.Command("sh", "-c", `"$0" load "$1" --rate 'step 5/s:1s, 10/s:1s, 5/s:1s' `+flags, program, s.URL)
			out, err := c.CombinedOutput()
			s.Close()
			if err == nil || c.ProcessState.ExitCode() == 2 {
				t.Errorf("%v: %s", err, out)
			}
		}
	}
	if !judged {
		t.Error("no step plays the release gate")
	}
}
