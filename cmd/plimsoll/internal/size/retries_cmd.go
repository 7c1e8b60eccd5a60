package size

import "github.com/alecthomas/kong"

// retriesCmd is the command line of "plimsoll size retries".
type retriesCmd struct {
	Attempts string `placeholder:"N" help:"Attempts per request in each layer, the first one included."`
	Layers   string `placeholder:"N" help:"Layers that retry; 1 unless said."`
	Refused  string `placeholder:"P" help:"Share of the attempts at the bottom that are refused or fail."`
	Budget   string `placeholder:"B" help:"Retries per request that each layer allows itself, such as 0.1."`
	Rate     string `placeholder:"N" help:"Operations per second at the top."`
	Capacity string `placeholder:"N" help:"Attempts per second that the bottom serves; it refuses the others at once."`
	Out      format `embed:""`
}

// Help is the longer text of "plimsoll size retries --help".
func (*retriesCmd) Help() string {
	return `Formulas, N = attempts^layers:
  worst case                N attempts at the bottom for one at the top
  expected                  1 + p + .. + p^(N-1) = (1 - p^N)/(1 - p)
  with a budget             at most (1 + b)^layers
  arrivals, excess refused  A = mu/(1 - p), where lambda (1 - p^N) = mu

p is the share refused, b the budget, lambda the rate, mu the capacity.
Attempts fail independently of each other and the budget is spent over time,
not by each request.

Sources: SRE book, Addressing Cascading Failures: three layers of four attempts
make 64 at the bottom; retry in one layer. SRE book, Handling Overload: a budget
of 10 % per client holds growth at 1.1 x. The rest is the geometric series.

Example:
  plimsoll size retries --attempts 3 --layers 3                    # 27
  plimsoll size retries --attempts 3 --refused 0.5                 # 1.75
  plimsoll size retries --attempts 3 --rate 500 --capacity 460 --budget 0.1 # 808`
}

func (c *retriesCmd) read() (retriesIn, error) {
	var in input
	q := retriesIn{
		attempts: in.needCount("attempts", c.Attempts, 1, 100),
		layers:   in.count("layers", c.Layers, 1, 20),
		budgeted: c.Budget != "",
		budget:   in.number("budget", c.Budget, share),
		failing:  c.Refused != "",
		fail:     in.number("refused", c.Refused, share),
		rate:     in.number("rate", c.Rate, perSecond),
		capacity: in.number("capacity", c.Capacity, perSecond),
	}
	in.with("capacity", c.Capacity, "rate", c.Rate)
	if c.Layers == "" {
		q.layers = 1
	}
	return q, in.err()
}

// Check returns every fault of the flags.
func (c *retriesCmd) Check() error {
	_, err := c.read()
	return err
}

// Run prints the answer.
func (c *retriesCmd) Run(k *kong.Kong) error { return present(k, c.Out, c.read, retries) }
