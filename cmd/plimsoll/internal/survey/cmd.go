package survey

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// Cmd is the command line of "plimsoll sim trace".
type Cmd struct {
	File    string `arg:"" placeholder:"FILE" help:"A trace, such as plimsoll proxy --record writes."`
	Service string `placeholder:"TIME" help:"How long serving a request takes, where the trace has no service time at all."`
}

// Help is the longer text of "plimsoll sim trace --help".
func (*Cmd) Help() string {
	return `Says what is in a recorded trace, and prints the scenario that plays it: with the
times, classes, tenants, deadlines and service times that were recorded, bare
and behind a gate. Put the scenario beside the trace and change it as you like.

Example:
  plimsoll proxy --upstream http://127.0.0.1:8081 --record incident.csv
  plimsoll sim trace incident.csv >incident.yaml
  plimsoll sim compare incident.yaml`
}

// read reads the trace, with all faults of it and of the flags.
func (c *Cmd) read() ([]sim.Record, time.Duration, error) {
	var r strict.Reader
	service := time.Duration(0)
	if c.Service != "" {
		r.Duration(strict.Value{Key: "--service", Text: c.Service}, false, &service)
	}
	records := c.records(&r)
	if err := r.Faults.Err(); err != nil {
		return nil, 0, err
	}
	if service == 0 && !timed(records) {
		return nil, 0, strict.Faults{{Key: "--service", Want: "want how long serving a request takes, such as 20ms: no record says it"}}
	}
	return records, service, nil
}

func (c *Cmd) records(r *strict.Reader) []sim.Record {
	f, err := os.Open(c.File)
	if err != nil {
		r.Faults = append(r.Faults, strict.Fault{File: c.File, Want: fmt.Sprintf("want a file that can be read: %v", strict.Cause(err))})
		return nil
	}
	defer f.Close()
	records, err := trace.Read(f)
	var faults trace.Faults
	switch {
	case errors.As(err, &faults):
		for _, fault := range faults {
			r.Faults = append(r.Faults, strict.Fault{File: c.File, Line: fault.Line, Key: fault.Key, Want: fault.Want})
		}
	case err != nil:
		r.Faults = append(r.Faults, strict.Fault{File: c.File, Want: fmt.Sprintf("want a trace: %v", err)})
	case len(records) == 0:
		r.Faults = append(r.Faults, strict.Fault{File: c.File, Want: "want a trace with records in it"})
	}
	return records
}

func timed(records []sim.Record) bool {
	for i := range records {
		if records[i].Service > 0 {
			return true
		}
	}
	return false
}

// Check returns every fault of the flags and the file.
func (c *Cmd) Check() error {
	_, _, err := c.read()
	return err
}

// Run prints the scenario.
func (c *Cmd) Run(k *kong.Kong) error {
	records, service, err := c.read()
	if err != nil {
		return err
	}
	s := Of(records)
	return s.Scenario(k.Stdout, c.File, service)
}
