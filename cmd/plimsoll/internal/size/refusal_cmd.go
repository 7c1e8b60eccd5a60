package size

import "github.com/alecthomas/kong"

// refusalCmd is the command line of "plimsoll size refusal".
type refusalCmd struct {
	Load    string `placeholder:"X" help:"What is offered, as a multiple of the capacity."`
	Cost    string `placeholder:"R" help:"What a refusal costs, as a share of a service, such as 0.01."`
	Refusal string `placeholder:"DURATION" help:"Instead of the cost: how long a refusal takes the workers."`
	Service string `placeholder:"DURATION" help:"How long a service takes them, beside --refusal."`
	Keep    string `placeholder:"G" help:"Share of the capacity to keep as goodput: what may a refusal cost?"`
	Out     format `embed:""`
}

// Help is the longer text of "plimsoll size refusal --help".
func (*refusalCmd) Help() string {
	return `Formulas:
  goodput           g = (1 - rho r)/(1 - r), from g + (rho - g) r = 1
  collapses at      rho = 1/r
  refusal may cost  r = (1 - g)/(rho - g)

rho is the load, r the cost of a refusal over that of a service, by the same
workers, g the goodput as a share of the capacity, not below 0; below rho = 1
nothing is refused. To keep 99 % at ten times the capacity is to refuse for
about 0.1 % of a service.

Source: conservation of the workers' time. Amazon Builders' Library, Using Load
Shedding to Avoid Overload, on why the cost of a refusal decides.

Example:
  plimsoll size refusal --load 10 --cost 0.05                    # 52.63 %
  plimsoll size refusal --load 1.5 --cost 0.5                    # 2 x
  plimsoll size refusal --load 10 --service 1ms --refusal 1us    # 99.1 %
  plimsoll size refusal --load 10 --cost 0.01 --keep 0.99        # 0.111 %`
}

func (c *refusalCmd) read() (refusalIn, error) {
	var in input
	q := refusalIn{
		load: in.needNumber("load", c.Load, load),
		cost: in.number("cost", c.Cost, shareBelow1),
		keep: in.number("keep", c.Keep, shareAbove0),
	}
	service, took := in.duration("service", c.Service), in.duration("refusal", c.Refusal)
	switch {
	case c.Cost == "" && c.Refusal == "":
		in.fault("cost", "it, or --refusal and --service")
	case c.Cost != "" && c.Refusal != "":
		in.fault("refusal", "it or --cost, not both")
	}
	in.with("refusal", c.Refusal, "service", c.Service)
	in.with("service", c.Service, "refusal", c.Refusal)
	if service > 0 && took > 0 {
		q.cost = took.Seconds() / service.Seconds()
		if took >= service {
			in.fault("refusal", "a duration below --service, have "+c.Refusal)
		}
	}
	if q.keep > 0 && q.load > 0 && q.load <= 1 {
		in.fault("keep", "a --load above 1 beside it: up to 1 nothing is refused, have --load "+c.Load)
	}
	return q, in.err()
}

// Check returns every fault of the flags.
func (c *refusalCmd) Check() error {
	_, err := c.read()
	return err
}

// Run prints the answer.
func (c *refusalCmd) Run(k *kong.Kong) error { return present(k, c.Out, c.read, refusal) }
