package relay

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// Possible says why nothing can be measured here; nil if it can.
func Possible() error {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		return errors.New("the processor time of another process is known on Linux only")
	}
	return nil
}

// part is one of the processes, which says what it allocated.
type part struct {
	*process.Process
	name string
}

func start(name, path string, args ...string) (*part, error) {
	p, err := process.Start(path, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &part{p, name}, nil
}

// cpu is the processor time that the process has used.
func (p *part) cpu() (time.Duration, error) {
	used, err := p.CPU()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.name, err)
	}
	return used, nil
}

// allocated is the number of objects that the process has allocated.
func (p *part) allocated() (uint64, error) {
	path := "/metrics"
	if p.Admin == p.Address {
		path = "/allocations"
	}
	text, err := p.get(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, mallocs+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return uint64(n), err
		}
	}
	return 0, fmt.Errorf("%s does not say what it allocated", p.name)
}

// get asks the process about itself.
func (p *part) get(path string) (string, error) {
	resp, err := http.Get("http://" + p.Admin + path)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}
