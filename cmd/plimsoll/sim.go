package main

import (
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/arena"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/reference"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/simulate"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/survey"
)

// simCmd is the simulator's subcommands.
type simCmd struct {
	Run       simulate.RunCmd     `cmd:"" help:"Play a scenario and show how it went."`
	Compare   simulate.CompareCmd `cmd:"" help:"Play a scenario under several policies, side by side."`
	Sweep     simulate.SweepCmd   `cmd:"" help:"Play a scenario over a grid of parameters and policies, and map where it stays down."`
	List      simulate.ListCmd    `cmd:"" help:"List the scenarios that the program brings with it."`
	Trace     survey.Cmd          `cmd:"" help:"Say what is in a recorded trace, and print the scenario that plays it."`
	Arena     arena.Cmd           `cmd:"" help:"Play every policy in every scenario of a suite, as shares of the possible."`
	Reference reference.Cmd       `cmd:"" help:"Play the reference cases, and say whether their figures come out."`
}

// Help is the longer text of "plimsoll sim --help".
func (simCmd) Help() string {
	return `Minutes of overload in milliseconds: the gate that serves live traffic, callers
who wait, leave and try again, and stations that slow down, stall and restart,
all in virtual time. A scenario is a YAML file; docs/scenarios.md lists its keys.

Example:
  plimsoll sim list
  plimsoll sim compare overload
  plimsoll sim run overload --policy default --set load=5`
}
