package page

import "github.com/plimsoll-go/plimsoll/sim"

// Document is what a page shows: one scenario, played once or several times.
type Document struct {
	Name       string      // the scenario's
	About      string      // what it shows; empty: nothing is said
	Source     string      // where its figures come from; empty: nothing is said
	Parameters []Parameter // what it was played with
	Command    string      // what makes the page again
	Runs       []Run       // compared on the same axes, in this order
	Verdicts   []Verdict   // empty: nothing was expected
}

// Parameter is a value that a scenario was played with, as it was written.
type Parameter struct{ Name, Value string }

// Run is one play of the scenario.
type Run struct {
	Policy   string  // empty where the scenario has no policies
	Seed     uint64  // of its random numbers
	Capacity float64 // requests a second; 0: not known, and not drawn
	Report   *sim.Report
}

// Verdict is one expectation and what came of it.
type Verdict struct {
	Measure string // the figure, in words
	Policy  string // whose; empty: of the only one
	Want    string
	Got     string
	OK      bool
}
