// Package size is "plimsoll size": the arithmetic of capacity.
//
// Every subject is a pure function of its inputs in a file of its own, such
// as queue.go, and a command in another, such as queue_cmd.go, that reads the
// flags, names every fault in them, and prints the answer for people or as
// JSON. The formulas assume what their help says, most often a steady state;
// what is not steady is for a simulation.
package size

// Cmd is the command line of "plimsoll size".
type Cmd struct {
	Queue       queueCmd       `cmd:"" help:"Places of a queue, from the rate and the wait callers accept."`
	Concurrency concurrencyCmd `cmd:"" help:"Requests in flight, from rate and latency, and the other way round."`
	Burst       burstCmd       `cmd:"" help:"The best cap on what is inside, for a burst that arrives at once."`
	Wait        waitCmd        `cmd:"" help:"Waits of random traffic at a utilization, and the knee."`
	Refusal     refusalCmd     `cmd:"" help:"Goodput that the cost of refusals leaves, and the load that collapses it."`
	Retries     retriesCmd     `cmd:"" help:"What retries multiply load by, with and without a budget."`
	Deadline    deadlineCmd    `cmd:"" help:"What every hop has left of a deadline."`
	Critical    criticalCmd    `cmd:"" help:"Whether a capacity covers all that is critical, and who is served."`
}

// Help is the longer text of "plimsoll size --help".
func (Cmd) Help() string {
	return `Every subject says its formula and where it is from: plimsoll size SUBJECT
--help. Rates are per second; durations need a unit, such as 25ms; shares are
from 0 to 1. In JSON durations are seconds (_s) and rates per second (_per_s).

Example:
  plimsoll size burst --workers 8 --service 25ms --deadline 1.5s
  plimsoll size wait --utilization 0.8 --service 10ms --json`
}
