package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/heap"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

// heapFloor is how much a load allocates, at the least, between two collections
// of garbage, which hold its sending up. More of it makes requests no less late.
const heapFloor = 16 << 20

// Cmd is the command line of "plimsoll load" and its subcommands.
type Cmd struct {
	Run     RunCmd     `cmd:"" default:"withargs" help:"Put a service under load and say what became of every request."`
	Compare CompareCmd `cmd:"" help:"Put the results of two runs side by side."`
}

// Help is the longer text of "plimsoll load --help".
func (*Cmd) Help() string {
	return `Sends requests at their times, however slowly they are answered, and says what
reached callers who were still waiting. Latency counts from when a request was
due. What could not be sent at its time is counted, and never sent later in a
burst; a run whose schedule was not kept is invalid, says why, and exits with 3.

It exits with 0; with 1 where the run failed; 2 where the input is wrong; 3 where
the run is invalid; 99 where a threshold is missed; 130 where it was interrupted,
after the report of what ran.

Example:
  plimsoll load http://127.0.0.1:8080 --rate 500/s --for 30s
  plimsoll load http://127.0.0.1:8080 --rate 'spike 200/s..2000/s from 10s for 5s' \
      --class critical:0.7,deadline=200ms,retries=2 --class sheddable:0.3
  plimsoll load grpc://127.0.0.1:50051 --method shop.Cart/Add --body '{"item": 7}' --rate 500/s`
}

// RunCmd is the command line of "plimsoll load run", or "plimsoll load" for
// short.
type RunCmd struct {
	URL      string         `arg:"" name:"url" help:"Where the service is: http://host:port or https://host:port, and the path that those of classes follow; grpc://host:port or, with TLS, grpcs://host:port."`
	Rate     string         `placeholder:"RATE" help:"How many requests are due, such as 500/s, or how that changes, such as ramp 100/s..2000/s over 30s."`
	Arrivals string         `placeholder:"HOW" help:"How requests follow one another: poisson, or constant for evenly spaced ones (poisson)."`
	For      *time.Duration `placeholder:"TIME" help:"How long requests are due (30s, or as long as a ramp or steps are)."`
	Seed     uint64         `default:"1" help:"Seed of arrivals and of what is drawn for them."`
	Replay   string         `placeholder:"FILE" help:"Send what a trace has recorded, at its times, instead of a rate."`
	Speed    string         `placeholder:"FACTOR" help:"How fast the trace is played: 2x is twice as fast as it was (1x)."`

	mix.Flags
	CA           string `name:"ca" placeholder:"FILE" help:"Trust these certificates, in PEM, instead of the system's."`
	Insecure     bool   `help:"Trust any certificate."`
	Descriptors  string `placeholder:"FILE" help:"The descriptor set of the methods of gRPC, as protoc --descriptor_set_out --include_imports makes it, instead of asking the service by server reflection."`
	TenantHeader string `default:"X-Tenant" placeholder:"NAME" help:"What carries a request's tenant (X-Tenant)."`
	LevelHeader  string `default:"X-Request-Level" placeholder:"NAME" help:"What carries a request's level (X-Request-Level)."`

	MaxInFlight int           `default:"10000" help:"How many requests may be without an answer at a time. One that is due while there are as many is not sent, and the run is invalid."`
	MaxSlip     time.Duration `default:"10ms" help:"How late the generator may send one request in a hundred before the run is invalid. One that is later than 2.5 times that is not sent."`
	Threshold   []string      `sep:"none" placeholder:"TEXT" help:"What the run has to hold, such as goodput{class=CRITICAL} >= 0.99; exit 99 where it does not. May be repeated."`
	KneeFlags
	Outputs
	Metrics string `placeholder:"ADDRESS" help:"Serve the metrics of the run at http://ADDRESS/metrics while it goes on."`
	Quiet   bool   `short:"q" help:"No line a second on standard error."`
}

// Help is the longer text of "plimsoll load run --help".
func (*RunCmd) Help() string { return (*Cmd)(nil).Help() }

// Run plays the load and prints the report. The first interrupt ends the
// sending, the second the program.
func (c *RunCmd) Run(k *kong.Context) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, func() {
		stop() // another one ends the program
		fmt.Fprintf(k.Stderr, "load: interrupted; what is in flight has %s to end, interrupt again to end at once\n", brief)
	})()
	in, err := c.read(ctx)
	if ctx.Err() != nil {
		if in != nil {
			in.close()
		}
		return &ended{"load: interrupted before anything was sent", exitInterrupted}
	}
	if err != nil {
		return err
	}
	defer in.close()
	alarm, err := openloop.NewAlarm()
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer alarm.Close()
	in.plan.Wake = alarm.In
	floor := heap.Floor(heapFloor)
	defer func() { runtime.KeepAlive(floor) }()
	if in.metrics != nil {
		in.metrics.serve()
	}
	if c.FindKnee {
		return c.findKnee(ctx, k, in)
	}
	r, err := c.play(ctx, k.Stderr, in)
	if err != nil {
		err = fmt.Errorf("load: %w", err)
	}
	return errors.Join(c.conclude(k, in.thresholds, r), err)
}

// play runs a plan and says meanwhile how it goes.
func (c *RunCmd) play(ctx context.Context, stderr io.Writer, in *input) (*played, error) {
	out := &played{}
	p := in.plan
	l := newLive(stderr)
	defer l.end()
	p.Begun = func(t *tally.Tally, start time.Time) {
		out.tally = t
		if in.metrics != nil {
			in.metrics.follow(t, start)
		}
		if !c.Quiet {
			l.follow(t, start)
		}
	}
	var err error
	out.Result, err = Run(ctx, p)
	return out, err
}
