package size

import "github.com/alecthomas/kong"

// queueCmd is the command line of "plimsoll size queue".
type queueCmd struct {
	Rate         string `placeholder:"N" help:"Requests completed per second while there is work."`
	Wait         string `placeholder:"DURATION" help:"The longest wait that callers accept before their service begins."`
	Variation    string `placeholder:"CV" help:"Standard deviation of the service time over its mean: 0 constant, 1 exponential."`
	Percentile   string `placeholder:"P" help:"Of the waits in the last place, how many percent variation may not make too long; 99 unless said."`
	Service      string `placeholder:"DURATION" help:"Mean service time of all requests."`
	ShortService string `placeholder:"DURATION" help:"Mean service time of a class that is served first."`
	Pool         string `placeholder:"N" help:"Workers or threads behind the queue."`
	Burst        string `placeholder:"N" help:"Requests in the largest burst expected."`
	Offered      string `placeholder:"N" help:"Arrivals per second that go on beside the burst."`
	Out          format `embed:""`
}

// Help is the longer text of "plimsoll size queue --help".
func (*queueCmd) Help() string {
	return `Formulas:
  bound                    L = mu Wq
  bound, variable service  L + z cv sqrt(L) = mu Wq
  bound, short class       L = mu S/Ss (Wq - S (1 + cv^2)/2)
  advice                   L = pool/2
  interval                 burst/(mu - offered)

mu is the rate, Wq the wait, cv the variation, z the normal quantile of the
percentile, S the service and Ss the short service time. Bounds are rounded
down; the short class never has less than the others.

Sources: Little, Operations Research 9(3), 1961, for the bound. Cox, Renewal
Theory, 1962, for sums of services (normal approximation; tails heavier than
exponential need less still) and for the service in progress. SRE book,
Addressing Cascading Failures: small queues relative to the pool, 50 % or less;
that is advice for steady traffic and does not follow from the wait. RFC 8289
for the interval: the time that the largest expected burst takes to drain.

Example:
  plimsoll size queue --rate 1000 --wait 200ms                   # 200
  plimsoll size queue --rate 2000 --wait 100ms --variation 1     # 169
  plimsoll size queue --rate 400 --wait 250ms --service 20ms --short-service 5ms
  plimsoll size queue --rate 2000 --wait 100ms --pool 64 --burst 300 --offered 500`
}

func (c *queueCmd) read() (queueIn, error) {
	var in input
	q := queueIn{
		rate:       in.needNumber("rate", c.Rate, perSecond),
		wait:       in.needDuration("wait", c.Wait),
		varies:     c.Variation != "",
		variation:  in.number("variation", c.Variation, variation),
		percentile: in.number("percentile", c.Percentile, percentile),
		service:    in.duration("service", c.Service),
		short:      in.duration("short-service", c.ShortService),
		pool:       in.count("pool", c.Pool, 1, maxCount),
		burst:      float64(in.count("burst", c.Burst, 1, maxCount)),
		offered:    in.number("offered", c.Offered, perSecond0),
	}
	in.with("percentile", c.Percentile, "variation", c.Variation)
	in.with("service", c.Service, "short-service", c.ShortService)
	in.with("short-service", c.ShortService, "service", c.Service)
	in.with("offered", c.Offered, "burst", c.Burst)
	if q.service > 0 && q.short > q.service {
		in.fault("short-service", "a duration not above --service, have "+c.ShortService)
	}
	if q.rate > 0 && q.offered >= q.rate {
		in.fault("offered", "less than --rate, or the burst never drains, have "+c.Offered)
	}
	if c.Percentile == "" {
		q.percentile = 99
	}
	return q, in.err()
}

// Check returns every fault of the flags.
func (c *queueCmd) Check() error {
	_, err := c.read()
	return err
}

// Run prints the answer.
func (c *queueCmd) Run(k *kong.Kong) error { return present(k, c.Out, c.read, queue) }
