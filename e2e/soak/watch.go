package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
)

// sample is what the proxy looked like at a moment.
type sample struct {
	At          time.Duration `json:"-"`
	Memory      int64         `json:"memory_bytes"`
	Goroutines  int           `json:"goroutines"`
	Descriptors int           `json:"descriptors"`
	InFlight    int           `json:"in_flight"`
	Depth       int           `json:"depth"`
	Streams     int           `json:"streams"`
	Balance     int           `json:"arrived_less_ended"`
	Arrived     int           `json:"arrived"`
}

// look looks at the proxy.
func (p *play) look() (s sample, err error) {
	m, err := p.proxy.Metrics()
	if err != nil {
		return s, err
	}
	s.InFlight, s.Depth, s.Streams = m.Busy()
	s.Goroutines = int(m["go_goroutines"])
	s.Arrived = int(m.Sum("plimsoll_arrivals_total"))
	s.Balance = int(m.Sum("plimsoll_arrivals_total") - m.Sum("plimsoll_requests_total"))
	if s.Memory, _, err = p.proxy.Memory(); err != nil {
		return s, err
	}
	s.Descriptors, err = p.proxy.Descriptors()
	return s, err
}

// watch looks at the proxy until the context ends, and says how far it is: on
// a terminal in one line, elsewhere every ten seconds.
func (p *play) watch(ctx context.Context) (seen []sample) {
	began, said := time.Now(), time.Duration(0)
	terminal := isTerminal(os.Stderr)
	for wait(ctx, sampleEvery) {
		s, err := p.look()
		if err != nil {
			continue // its end says so
		}
		s.At = time.Since(began)
		seen = append(seen, s)
		line := fmt.Sprintf("%s of %s: %d offered, %d good, %d refused; %d in flight, %d waiting, %d streams; %d goroutines, %d descriptors, %d MiB",
			s.At.Round(time.Second), p.options.length, p.offered.Load(), p.good.Load(), p.refused.Load(),
			s.InFlight, s.Depth, s.Streams, s.Goroutines, s.Descriptors, s.Memory>>20)
		switch {
		case terminal:
			fmt.Fprintf(os.Stderr, "\r\x1b[K%s", line)
		case s.At-said >= 10*time.Second:
			said = s.At
			fmt.Fprintln(os.Stderr, line)
		}
	}
	if terminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	return seen
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// rest waits until the proxy is at rest as it was at first, or for as long as
// anybody would, and says what it looks like then.
func (p *play) rest(base sample) (s sample) {
	ctx, stop := context.WithTimeout(context.Background(), process.Patience)
	defer stop()
	for {
		if now, err := p.look(); err == nil {
			s = now
			if s.atRest(base) {
				return s
			}
		}
		if !wait(ctx, 100*time.Millisecond) {
			return s
		}
	}
}

// slack is what may be more than at first: a connection of the admin port that
// is just being closed, a goroutine of the runtime.
const slack = 4

func (s sample) atRest(base sample) bool {
	return s.InFlight == 0 && s.Depth == 0 && s.Streams == 0 && s.Balance == 0 &&
		s.Goroutines <= base.Goroutines+slack && s.Descriptors <= base.Descriptors+slack
}

// growth is how much memory has grown through the second half, by the line
// that fits it best, and its mean there.
func growth(seen []sample) (grown, mean float64) {
	half := seen[len(seen)/2:]
	if len(half) < 2 {
		return 0, 0
	}
	var t, m, tt, tm float64
	for _, s := range half {
		x, y := s.At.Seconds(), float64(s.Memory)
		t, m, tt, tm = t+x, m+y, tt+x*x, tm+x*y
	}
	n := float64(len(half))
	slope := (n*tm - t*m) / (n*tt - t*t)
	return slope * (half[len(half)-1].At - half[0].At).Seconds(), m / n
}
