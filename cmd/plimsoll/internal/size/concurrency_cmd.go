package size

import "github.com/alecthomas/kong"

// concurrencyCmd is the command line of "plimsoll size concurrency".
type concurrencyCmd struct {
	Latency  string `placeholder:"DURATION" help:"How long a request holds its slot."`
	Rate     string `placeholder:"N" help:"Requests per second."`
	Slots    string `placeholder:"N" help:"Requests served at the same time."`
	Headroom string `placeholder:"FACTOR" help:"The limit over what is in flight; 1.5 unless said."`
	Clients  string `placeholder:"N" help:"Clients of a closed loop: each sends the next request when the last was answered."`
	Think    string `placeholder:"DURATION" help:"How long such a client pauses between them; no time unless said."`
	Wait     string `placeholder:"DURATION" help:"The longest wait that callers accept, for a bound of the queue by concurrency."`
	Out      format `embed:""`
}

// Help is the longer text of "plimsoll size concurrency --help".
func (*concurrencyCmd) Help() string {
	return `Formulas:
  in flight          L = lambda W
  rate of the slots  lambda = c/S
  queue bound        c Wq/S, and N - c at most in a closed loop
  closed loop        rate <= min(c/S, N/(S + Z)), latency >= max(S, N S/c - Z)

lambda is the rate, W and S the latency, c the slots, N the clients, Z their
think time, Wq the wait. In a closed loop the rate follows from concurrency and
latency and is no input: bound such a service by concurrency.

Sources: Little, Operations Research 9(3), 1961. Denning and Buzen, The
Operational Analysis of Queueing Network Models, ACM Computing Surveys 10(3),
1978, for the closed loop.

Example:
  plimsoll size concurrency --rate 2000 --latency 50ms              # 100
  plimsoll size concurrency --rate 800 --latency 50ms --headroom 1.5  # 60
  plimsoll size concurrency --slots 60 --latency 200ms              # 300/s
  plimsoll size concurrency --slots 60 --latency 200ms --clients 400 --think 500ms --wait 100ms`
}

func (c *concurrencyCmd) read() (concurrencyIn, error) {
	var in input
	q := concurrencyIn{
		latency:  in.needDuration("latency", c.Latency),
		rate:     in.number("rate", c.Rate, perSecond),
		slots:    in.count("slots", c.Slots, 1, maxCount),
		headroom: in.number("headroom", c.Headroom, headroom),
		clients:  in.count("clients", c.Clients, 1, maxCount),
		think:    in.duration("think", c.Think),
		wait:     in.duration("wait", c.Wait),
	}
	if c.Rate == "" && c.Slots == "" {
		in.fault("rate", "it or --slots")
	}
	in.with("headroom", c.Headroom, "rate", c.Rate)
	in.with("clients", c.Clients, "slots", c.Slots)
	in.with("think", c.Think, "clients", c.Clients)
	in.with("wait", c.Wait, "slots", c.Slots)
	if c.Headroom == "" {
		q.headroom = 1.5
	}
	return q, in.err()
}

// Check returns every fault of the flags.
func (c *concurrencyCmd) Check() error {
	_, err := c.read()
	return err
}

// Run prints the answer.
func (c *concurrencyCmd) Run(k *kong.Kong) error { return present(k, c.Out, c.read, concurrency) }
