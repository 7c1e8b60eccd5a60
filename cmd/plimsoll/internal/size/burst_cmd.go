package size

import "github.com/alecthomas/kong"

// burstCmd is the command line of "plimsoll size burst".
type burstCmd struct {
	Workers  string `placeholder:"N" help:"Requests served at the same time."`
	Service  string `placeholder:"DURATION" help:"How long each takes."`
	Deadline string `placeholder:"DURATION" help:"How long callers wait for the answer, the service included."`
	Burst    string `placeholder:"N" help:"Requests that arrive at once, to say what becomes of them."`
	Waiting  string `placeholder:"N" help:"Places of the queue that there is, instead of the best one; the cap is workers + places."`
	Out      format `embed:""`
}

// Help is the longer text of "plimsoll size burst --help".
func (*burstCmd) Help() string {
	return `Formula:
  best cap inside = workers x floor(deadline/service)

The most of a burst, at idle workers, that is answered in time with nothing
answered late: every worker serves so many one after the other before the
deadline. A cap that is lower turns away work that could have been in time, a
higher one does work for callers who have left.

Source: it follows from constant service times and a free worker taking the
next at once; no steady state is assumed. Where they vary less fits: see
plimsoll size queue --variation.

Example:
  plimsoll size burst --workers 8 --service 25ms --deadline 1.5s              # 480
  plimsoll size burst --workers 8 --service 25ms --deadline 1.5s --burst 2000 # 1520 refused
  plimsoll size burst --workers 64 --waiting 128 --service 50ms --deadline 1s --burst 400 # 208 refused`
}

func (c *burstCmd) read() (burstIn, error) {
	var in input
	q := burstIn{
		workers:  in.needCount("workers", c.Workers, 1, maxCount),
		service:  in.needDuration("service", c.Service),
		deadline: in.needDuration("deadline", c.Deadline),
		burst:    in.count("burst", c.Burst, 1, maxCount),
	}
	if waiting := in.count("waiting", c.Waiting, 0, maxCount); c.Waiting != "" {
		q.waiting = &waiting
	}
	in.with("waiting", c.Waiting, "burst", c.Burst)
	return q, in.err()
}

// Check returns every fault of the flags.
func (c *burstCmd) Check() error {
	_, err := c.read()
	return err
}

// Run prints the answer.
func (c *burstCmd) Run(k *kong.Kong) error { return present(k, c.Out, c.read, burst) }
