package size

import "github.com/alecthomas/kong"

// waitCmd is the command line of "plimsoll size wait".
type waitCmd struct {
	Service     string `placeholder:"DURATION" help:"Mean service time."`
	Workers     string `placeholder:"N" help:"Requests served at the same time; 1 unless said."`
	Rate        string `placeholder:"N" help:"Arrivals per second."`
	Utilization string `placeholder:"U" help:"Instead of the rate: the share of the time that workers are busy, such as 0.8."`
	Knee        string `placeholder:"M" help:"The multiple of the service time that the time in the system passes at the knee; 5 unless said."`
	Out         format `embed:""`
}

// Help is the longer text of "plimsoll size wait --help".
func (*waitCmd) Help() string {
	return `Formulas, rho = lambda S/c:
  one worker, M/M/1   time in system = S/(1 - rho); p99 = ln 100 x mean
  has to wait, M/M/c  C = B/(1 - rho (1 - B)), B Erlang's loss formula
  mean wait           Wq = C S/(c (1 - rho))
  wait longer than t  C exp(-c (1 - rho) t/S)
  knee                rho where Wq + S = M S; 1 - 1/M with one worker
  past rho = 1        the queue grows by lambda - c/S, for ever

lambda is the rate, S the service time, c the workers. For random arrivals
(Poisson), exponential service and one queue in order of arrival. Burstier
traffic has its knee earlier: plan for 50 to 70 % busy at peak.

Source: Erlang, Solution of Some Problems in the Theory of Probabilities of
Significance in Automatic Telephone Exchanges, 1917.

Example:
  plimsoll size wait --utilization 0.8 --service 10ms              # 50ms
  plimsoll size wait --rate 720 --service 10ms --workers 8         # 1.877 x
  plimsoll size wait --rate 1200 --service 50ms --workers 40       # 24000
  plimsoll size wait --utilization 0.5 --service 10ms --knee 10    # 90 %`
}

func (c *waitCmd) read() (waitIn, error) {
	var in input
	q := waitIn{
		service:     in.needDuration("service", c.Service),
		workers:     in.count("workers", c.Workers, 1, maxCount),
		rate:        in.number("rate", c.Rate, perSecond),
		utilization: in.number("utilization", c.Utilization, utilization),
		knee:        in.number("knee", c.Knee, multiple),
	}
	switch {
	case c.Rate == "" && c.Utilization == "":
		in.fault("rate", "it or --utilization")
	case c.Rate != "" && c.Utilization != "":
		in.fault("utilization", "it or --rate, not both")
	}
	if c.Workers == "" {
		q.workers = 1
	}
	if c.Knee == "" {
		q.knee = 5
	}
	return q, in.err()
}

// Check returns every fault of the flags.
func (c *waitCmd) Check() error {
	_, err := c.read()
	return err
}

// Run prints the answer.
func (c *waitCmd) Run(k *kong.Kong) error { return present(k, c.Out, c.read, wait) }
