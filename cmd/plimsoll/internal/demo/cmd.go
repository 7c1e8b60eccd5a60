package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/checkout"
)

// storyCheckout is the other story.
const storyCheckout = "checkout"

// defaultSeed is that of the tag below.
const defaultSeed = 1

// Cmd is the command line of "plimsoll demo".
type Cmd struct {
	Fast   bool   `help:"Finish within 25 seconds: shorter phases, and a deadline of 400 ms instead of 1 s."`
	JSON   bool   `name:"json" help:"Print the result as JSON."`
	SVG    string `name:"svg" placeholder:"FILE" help:"Draw both runs into this file as well."`
	Readme string `placeholder:"FILE" help:"Put the table into this file as well, between <!-- demo:begin --> and <!-- demo:end -->."`
	Seed   uint64 `default:"1" help:"Seed of the arrival schedule."`

	Story    string        `default:"overload" enum:"overload,checkout" help:"Which story: an overload, or a checkout with cheaper answers, on processes of their own (overload, checkout)."`
	Overload time.Duration `default:"5m" help:"How long the worst of the checkout's story lasts, at least 10s."`

	Role   string `hidden:"" help:"Be one of the checkout's processes."`
	Behind string `hidden:"" help:"The URL of what it calls."`
	Quotes bool   `hidden:"" help:"Its page is a quote."`
}

// Help is the longer text of "plimsoll demo --help".
func (c *Cmd) Help() string {
	return `Plays one overload twice over loopback sockets, against a bare backend and
through the proxy with its default settings, and compares what reached callers
who were still waiting. Then half the load, with what lies behind the backend
100 ms slower: no overload, and nobody is to be refused. Takes about a minute
and needs nothing else.

Example:
  plimsoll demo --fast --json | jq '.runs[] | {gate, recovery_s}'
  plimsoll demo --svg demo.svg
  plimsoll demo --story checkout --overload 30s`
}

// Run shows progress on standard error and prints the result on standard
// output. An interrupt ends it with an error.
func (c *Cmd) Run() error {
	if err := c.Check(); err != nil {
		return err
	}
	switch {
	case c.Role != "":
		return checkout.Service{Role: c.Role, Behind: c.Behind, Quotes: c.Quotes}.Run(os.Stdin, os.Stdout)
	case c.Story == storyCheckout:
		return checkout.Story{Overload: c.Overload, Fast: c.Fast, JSON: c.JSON}.Tell()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := newPlan(c.Fast, c.Seed).demonstrate(ctx, newLive(os.Stderr))
	if ctx.Err() != nil {
		return errors.New("demo: interrupted, there is no result")
	}
	if err == nil {
		err = errors.Join(c.show(r), c.write(r))
	}
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return nil
}

// show prints the result.
func (c *Cmd) show(r result) error {
	if !c.JSON {
		r.print(os.Stdout)
		return nil
	}
	for _, warning := range r.warnings() {
		fmt.Fprintln(os.Stderr, warning)
	}
	return r.writeJSON(os.Stdout)
}
