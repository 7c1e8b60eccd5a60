package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/internal/deaf"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// loaded is a service that answers at once, or never where the path says so.
func loaded(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/never":
			<-r.Context().Done()
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// patient is a bound on the generator that no machine gets near.
const patient = "--max-slip=60s"

// Whatever is wrong is said at once, and nothing is sent.
func TestLoadNamesEveryFault(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "incident.csv")
	if err := os.WriteFile(trace, []byte("time,class\n0s,CRITICAL\n1s,IMPORTANT\nsoon,CRITICAL\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + deaf.Address(t)
	for _, tt := range []struct {
		args []string
		want []string // one line each, whatever stands round it
	}{
		{[]string{nobody, "--rate", "many", "--for", "-1s"}, []string{
			"--for: want a time above 0, have -1s",
			"<url>: " + nobody + ": .*refused; nobody listens there",
		}},
		{[]string{nobody, "--rate", "many", "--arrivals", "random", "--class", "foo:1", "--body-file", "/no/such", "--json", "/no/such/file",
			"--threshold", "goodput > 0.9", "--threshold", "p(99 < 1s", "--threshold", "recovary < 1s", "--max-in-flight", "0", "--rat", "1"}, []string{
			"--rat: want a flag of plimsoll load",
			`--rate: .*"many"`,
			"--arrivals: .*random",
			"--max-in-flight: want a number of requests from 1",
			"--class foo:1: want a criticality first",
			"--body-file: .*/no/such.*no such file",
			"--json: want a file in a directory that exists",
			`--threshold: "p\(99 < 1s"`,
			`--threshold: "recovary < 1s".*recovery`,
			"<url>: " + nobody,
		}},
		{[]string{nobody, "--replay", trace, "--rate", "5/s", "--speed", "fast"}, []string{
			"--rate: want none beside --replay",
			"--speed: want a factor such as 2x",
			trace + ":3: .*IMPORTANT",
			trace + ":4: .*soon",
		}},
		{[]string{nobody, "--replay", filepath.Dir(trace)}, []string{filepath.Dir(trace) + ": want a file with a trace, have a directory"}},
		{[]string{nobody, "--replay", os.DevNull}, []string{os.DevNull + ": want a file with a trace, have a pipe or a device"}},
		{[]string{nobody, "--replay", trace + "x"}, []string{trace + "x: want a trace that can be read: no such file"}},
		{[]string{nobody, "--find-knee", "--rate", "5/s", "--speed", "2x", "--knee-step", "1s"}, []string{
			"--rate: want none beside --find-knee", "--speed: want none beside --find-knee", "--knee-step: want steps from 3s",
		}},
		{[]string{"ftp://localhost", "--rate", "5/s", "--ca", "/no/such", "--threshold", "goodput{class=checkout} > 0.9"}, []string{
			"<url>: .*ftp://localhost", `--threshold: .*class of this load`,
		}},
		{[]string{nobody, "--rate", "5/s", "--for", "0s", "--knee-from", "10", "--knee-most", "5", "--knee-step", "5s"}, []string{
			"--for: want a time above 0, have 0s", "--knee-from: want none without --find-knee", "--knee-most: want none", "--knee-step: want none",
		}},
		{[]string{nobody, "--find-knee", "--for", "0s", "--knee-from", "0", "--knee-most", "0", "--knee-step", "0"}, []string{
			"--for: want more than 0", "--knee-from: want more than 0", "--knee-most: want more than 0", "--knee-step: want more than 0",
		}},
		{[]string{nobody, "--rate", "5/s", "--ca", trace, "--insecure", "--descriptors", "/no/such", "--tenant-header", "x y", "--level-header", "é"}, []string{
			"--ca: want none without TLS", "--insecure: want none without TLS", "--descriptors: want a file that can be read, have /no/such: no such file",
			`--tenant-header: want the name of a header, have "x y"$`, `--level-header: want the name of a header, have "é"$`,
		}},
		{[]string{strings.Replace(nobody, "http:", "https:", 1), "--rate", "5/s", "--ca", trace, "--descriptors", trace}, []string{
			"--ca: want certificates in PEM, have none in " + trace, "--descriptors: want a descriptor set, as .* have " + trace,
		}},
		{[]string{nobody, "--rate", "5/s", "--class", "critical:1,deadline=200ms,retries=2", "--threshold", "p(99) < 250ms", "--threshold", "amplification <= 3"}, []string{
			"holds whatever happens, as callers hang up after 200ms", "holds whatever happens, as nobody makes more attempts than 3",
		}},
		{[]string{nobody}, []string{"--rate: want a rate, 500/s"}},
		{[]string{"--rate", "5/s"}, []string{"<url>"}},
	} {
		code, out, said := call(append([]string{"load"}, tt.args...)...)
		if code != exitInput || out != "" {
			t.Errorf("%q: exit %d, %q", tt.args, code, out)
		}
		for _, want := range tt.want {
			if !regexp.MustCompile(`(?m)^.*` + want).MatchString(said) {
				t.Errorf("%q: no line with %q in\n%s", tt.args, want, said)
			}
		}
	}
}

// Exit codes, and what stands where.
func TestLoadEnds(t *testing.T) {
	url := loaded(t)
	for _, tt := range []struct {
		args []string
		code int
		said []string
	}{
		{[]string{patient}, exitOK, nil},
		{[]string{patient, "--threshold", "goodput >= 0.5"}, exitOK, nil},
		{[]string{patient, "--threshold", "goodput >= 0.5", "--threshold", "p(50) < 1ns", "--threshold", "refused == 1"}, 99, []string{
			"load: 2 of 3 thresholds missed", "p\\(50\\) < 1ns: have", "refused == 1: have",
		}},
		{[]string{patient, "--max-in-flight", "1", "--class", "critical:1,path=/never,deadline=300ms"}, 3, []string{
			"load: the run is invalid", "requests were not sent, for 1 were without an answer already",
		}},
		{[]string{patient, "--max-in-flight", "1", "--class", "critical:1,path=/never,deadline=300ms", "--threshold", "goodput > 0.9"}, 3, []string{
			"load: the run is invalid", "1 of 1 thresholds missed",
		}},
	} {
		code, out, said := call(append([]string{"load", url, "-q", "--rate", "40/s", "--for", "500ms"}, tt.args...)...)
		if code != tt.code || !strings.Contains(out, url) || len(tt.said) == 0 && said != "" {
			t.Errorf("%q: exit %d\n%s\n%s", tt.args, code, out, said)
		}
		for _, want := range tt.said {
			if !regexp.MustCompile(want).MatchString(said) {
				t.Errorf("%q: nothing of %q in\n%s", tt.args, want, said)
			}
		}
	}
}

// Two results side by side: a second one that is worse, and files that are none.
func TestLoadCompares(t *testing.T) {
	url, dir := loaded(t), t.TempDir()
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	var runs sync.WaitGroup
	for name, path := range map[string]string{a: "/", b: "/busy"} {
		runs.Go(func() {
			if code, _, said := call("load", url, "-q", "--rate", "40/s", "--for", "6s", "--class", "critical:1,path="+path, "--json", name, patient); code != exitOK {
				t.Errorf("exit %d: %s", code, said)
			}
		})
	}
	runs.Wait()
	for _, tt := range []struct {
		args []string
		code int
		out  string
		said string
	}{
		{[]string{a, b}, exitOK, "worse", ""},
		{[]string{a, b, "--no-worse"}, 99, "worse", b + " is worse"},
		{[]string{b, a, "--no-worse", "--json", "-"}, exitOK, `"verdict": "better"`, ""},
		{[]string{a + "x", dir}, exitInput, "", a + "x: want a file that can be read: no such file or directory\n" + dir},
	} {
		code, out, said := call(append([]string{"load", "compare"}, tt.args...)...)
		if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(said, tt.said) || tt.said == "" && said != "" {
			t.Errorf("%q: exit %d\n%s\n%s", tt.args, code, out, said)
		}
	}
}

// Standard output is the JSON alone; without --quiet a second is a line on
// standard error.
func TestLoadWritesItsResult(t *testing.T) {
	url := loaded(t)
	code, out, said := call("load", url, "--rate", "100/s", "--arrivals", "constant", "--for", "1200ms", "--json", "-", patient,
		"--class", "critical:0.5,path=/busy,retries=1", "--class", "sheddable:0.5")
	r, err := result.Read("-", []byte(out))
	if err != nil || code != exitOK {
		t.Fatalf("exit %d, %v\n%s", code, err, said)
	}
	busy, idle := r.Classes[0], r.Classes[1]
	if r.All.Offered != 120 || busy.Refused["status_503"] != busy.Offered || busy.Attempts != 2*busy.Offered || idle.Good != idle.Offered {
		t.Errorf("%d offered; %+v; %+v", r.All.Offered, busy, idle)
	}
	if !regexp.MustCompile(`(?m)^ +1 s  due `).MatchString(said) {
		t.Errorf("no line a second: %q", said)
	}
}

// Every file is written beside the report, and whoever asks meanwhile gets metrics.
func TestLoadWritesFiles(t *testing.T) {
	url, dir, metrics := loaded(t), t.TempDir(), freePort(t)
	args := []string{"load", url, "-q", "--rate", "40/s", "--for", "1s", patient, "--metrics", metrics, "--threshold", "goodput >= 0.5"}
	for _, form := range []string{"json", "csv", "hlog", "html"} {
		args = append(args, "--"+form, filepath.Join(dir, form))
	}
	var code int
	var out, said string
	var running sync.WaitGroup
	running.Go(func() { code, out, said = call(args...) })
	wait.Until(t, "there are metrics", func() bool {
		resp, err := http.Get("http://" + metrics + "/metrics")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return strings.Contains(string(body), "\nplimsoll_load_")
	}, nil)
	running.Wait()
	if code != exitOK || said != "" || !strings.Contains(out, "ok      goodput >= 0.5") {
		t.Errorf("exit %d\n%s\n%s", code, out, said)
	}
	for form, want := range map[string]string{
		"json": `"version": 1`, "csv": "class,time_s,offered,", "hlog": "#[Histogram log format version 1.3]", "html": "<!DOCTYPE html>",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, form)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, nothing of %q in %d bytes", form, err, want, len(text))
		}
	}
	if _, err := net.Dial("tcp", metrics); err == nil {
		t.Error("metrics are served when all is over")
	}
	code, _, said = call("load", url, "--rate", "40/s", "--csv", dir, "--hlog", "-", "--json", "-", "--metrics", strings.TrimPrefix(url, "http://"))
	for _, want := range []string{"--csv: want a file, have the directory", "--hlog: want another file than --json, have -", "--metrics: want an address to listen at"} {
		if code != exitInput || !strings.Contains(said, want) {
			t.Errorf("exit %d, nothing of %q in\n%s", code, want, said)
		}
	}
}

// ignored is whether interrupts are: asked before anybody asks for them, and is
// told that they are not.
var ignored = signal.Ignored(os.Interrupt)

// The first interrupt ends the sending, and the report is of what ran; another
// one ends the program at once. That one finds it alive, however late it comes:
// nobody reads the report, and there is no room for it.
func TestLoadInterrupted(t *testing.T) {
	url := loaded(t)
	progress := regexp.MustCompile(`^ +\d+ s  due `)
	for _, twice := range []bool{false, true} {
		if twice && ignored {
			t.Skip("interrupts are ignored here, as behind & in a script: a program that no longer asks for them ignores them too")
		}
		ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), "PLIMSOLL_TEST_ARGS=load "+url+" --rate 50/s --for 1h --class critical:1,path=/never,deadline=1h "+patient)
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		cmd.Stdout = &out
		if twice {
			cmd.Stdout = fullPipe(t)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		interrupts := 0
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			if interrupts == 0 && progress.MatchString(lines.Text()) || twice && strings.Contains(lines.Text(), "interrupt again") {
				interrupts++
				if err := cmd.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait()
		state := cmd.ProcessState.Sys().(syscall.WaitStatus)
		switch {
		case twice && state.Signal() != syscall.SIGINT:
			t.Errorf("interrupted twice: %v after %d interrupts", cmd.ProcessState, interrupts)
		case !twice && (state.ExitStatus() != 130 || !strings.Contains(out.String(), url)):
			t.Errorf("interrupted: %v\n%s", cmd.ProcessState, &out)
		}
	}
}

// fullPipe is a pipe that nobody reads and that takes no more.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	for written := 0; written == 0; { // the time may be over before anything is written
		if err := w.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if written, err = w.Write(make([]byte, 4<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("the pipe takes whatever comes: %v", err)
		}
	}
	return w
}
