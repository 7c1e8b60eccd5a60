package loadgen

import (
	"errors"
	"time"
)

// Trial is what a generator has shown in one run.
type Trial struct {
	Due  int // requests, within the time of the run; 0: it has no schedule
	Done int // of these, sent within it and answered
	Wall time.Duration
	CPU  time.Duration // of its process
	// Slip is the 99th percentile of how late requests were sent. Not known of a
	// generator without a schedule: 0.
	Slip time.Duration
	// Server is the share of its core that the server used.
	Server float64
}

// KeptShare is the share of a schedule that a generator has to keep.
const KeptShare = 0.99

// Kept says whether the generator kept to its schedule.
func (t Trial) Kept() bool { return float64(t.Done) >= KeptShare*float64(t.Due) }

// Rate is how many it has sent and seen answered a second.
func (t Trial) Rate() float64 { return float64(t.Done) / t.Wall.Seconds() }

// PerRequest is the processor time of one request.
func (t Trial) PerRequest() time.Duration { return t.CPU / time.Duration(max(t.Done, 1)) }

// Generator is a contender.
type Generator struct {
	Name   string
	Closed bool // it has no schedule: each connection sends when it has its answer
	// play sends so many requests a second, evenly spaced, for so long. Closed:
	// as many as it can.
	play func(url string, rate int, length time.Duration) (Trial, error)
}

// Play measures one run. One that took far longer than its schedule has done
// nothing of it, and its slip is not known.
func (g Generator) Play(s *Server, rate int, length time.Duration) (Trial, error) {
	before, err := s.CPU()
	if err != nil {
		return Trial{}, err
	}
	t, err := g.play(s.url(), rate, length)
	if errors.Is(err, errOvertime) && !g.Closed {
		return Trial{Due: int(float64(rate) * length.Seconds()), Wall: length}, nil
	}
	if err != nil {
		return t, err
	}
	after, err := s.CPU()
	t.Server = (after - before).Seconds() / t.Wall.Seconds()
	return t, err
}

// Highest is the highest rate, to within one part in grain, that is kept. It
// goes up by halves until one is not, or down, and then halves the interval. What
// is not kept is tried once more: a machine that is busy with something else for
// a moment says nothing about the generator. It is an error that none is kept.
func Highest(from int, kept func(rate int) (bool, error)) (int, error) {
	const grain = 25
	low, high := 0, 0
	for rate := from; low == 0 || high == 0 || high-low > max(low/grain, 1); {
		ok, err := twice(kept, rate)
		if err != nil {
			return 0, err
		}
		if ok {
			low = rate
		} else {
			high = rate
		}
		switch {
		case high == 0:
			rate += rate / 2
		case low == 0 && rate < 2:
			return 0, errors.New("no rate is kept: is the machine busy with something else?")
		case low == 0:
			rate /= 2
		default:
			rate = (low + high) / 2
		}
	}
	return low, nil
}

func twice(kept func(int) (bool, error), rate int) (bool, error) {
	ok, err := kept(rate)
	if err != nil || ok {
		return ok, err
	}
	return kept(rate)
}
