package recovery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/admin"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// Cmd is the command line of "plimsoll recover".
type Cmd struct {
	Admin string         `arg:"" placeholder:"ADMIN" help:"The proxy's admin port, such as 127.0.0.1:9090."`
	Gate  string         `placeholder:"NAME" help:"The gate to free. Without it: all of them."`
	Ramp  *time.Duration `placeholder:"DURATION" help:"How long it takes until everybody is admitted again. Without it: as configured."`
}

// Help is the longer text of "plimsoll recover --help".
func (c *Cmd) Help() string {
	return `Frees a service that is stuck: one that works at capacity for callers that
have left, while their retries keep it there. Whoever waits at the proxy is
refused, and requests are admitted again on a ramp, so that the service gets
through what it has. plimsoll top shows when this is the case: throughput, and
no goodput.

Example:
  plimsoll recover 127.0.0.1:9090 --gate shop --ramp 5s

By itself, where the configuration says so:
  gates:
    shop: {recover: {automatic: true, after: 10s, below: 20%, ramp: 5s}}`
}

// Check returns every fault of the command line.
func (c *Cmd) Check() error {
	var faults strict.Faults
	if _, err := admin.Parse(c.Admin); err != nil {
		faults = append(faults, strict.Fault{Key: "<admin>", Want: err.Error()})
	}
	if c.Ramp != nil && (*c.Ramp < 0 || *c.Ramp > telemetry.MaxRamp) {
		faults = append(faults, strict.Fault{Key: "--ramp", Want: fmt.Sprintf("want a duration from 0s to %s, have %s", telemetry.MaxRamp, *c.Ramp)})
	}
	return faults.Err()
}

// Run frees the gates and says which.
func (c *Cmd) Run(k *kong.Kong) error {
	if err := c.Check(); err != nil {
		return err
	}
	port, err := admin.Parse(c.Admin)
	if err != nil {
		return err
	}
	ramp := time.Duration(-1)
	if c.Ramp != nil {
		ramp = *c.Ramp
	}
	gates, err := port.Recover(context.Background(), c.Gate, ramp)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(k.Stdout, "recovering: %s\n", strings.Join(gates, ", "))
	return err
}
