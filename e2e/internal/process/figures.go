package process

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// Metrics are the samples of one scrape: "name{labels}" to value.
type Metrics map[string]float64

// Sum adds up the samples of a metric whose labels contain all of the given,
// each as `name="value"`. Without any it is the metric's total.
func (m Metrics) Sum(name string, labels ...string) (sum float64) {
next:
	for key, v := range m {
		if at, rest, _ := strings.Cut(key, "{"); at == name {
			for _, l := range labels {
				if !strings.Contains(rest, l) {
					continue next
				}
			}
			sum += v
		}
	}
	return sum
}

// Busy says what is in the proxy: slots held, requests waiting and streams.
func (m Metrics) Busy() (inFlight, depth, streams int) {
	return int(m.Sum("plimsoll_in_flight")), int(m.Sum("plimsoll_queue_depth")), int(m.Sum("plimsoll_streams"))
}

// Scrape reads /metrics as text.
func (p *Process) Scrape() (string, error) {
	resp, err := http.Get("http://" + p.Admin + "/metrics")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("/metrics: %s", resp.Status)
	}
	return string(text), err
}

// Metrics reads /metrics.
func (p *Process) Metrics() (Metrics, error) {
	text, err := p.Scrape()
	if err != nil {
		return nil, err
	}
	m := Metrics{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || line[0] == '#' {
			continue
		}
		if m[line[:at]], err = strconv.ParseFloat(line[at+1:], 64); err != nil {
			return nil, fmt.Errorf("/metrics: %q: %w", line, err)
		}
	}
	return m, nil
}

// Memory is the resident memory of the process now and at its highest, in
// bytes.
func (p *Process) Memory() (now, highest int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		field := strings.Fields(line)
		if len(field) < 2 {
			continue
		}
		n, _ := strconv.ParseInt(field[1], 10, 64) // the two that count are numbers, in kB
		switch field[0] {
		case "VmRSS:":
			now = n << 10
		case "VmHWM:":
			highest = n << 10
		}
	}
	if now == 0 || highest == 0 {
		return 0, 0, fmt.Errorf("/proc/%d/status says nothing of memory", p.PID())
	}
	return now, highest, nil
}

// Descriptors is how many descriptors the process has open.
func (p *Process) Descriptors() (int, error) {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.PID()))
	return len(list), err
}

// CPU is the processor time that the process has used, in seconds, as it says
// itself.
func (m Metrics) CPU() float64 { return m["process_cpu_seconds_total"] }
