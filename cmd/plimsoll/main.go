// Command plimsoll is overload control for services in any language: a
// sidecar proxy, and what is needed to see, test and explain it.
package main

import (
	"os"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/check"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/demo"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/load"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/proxy"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/recovery"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/sign"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/size"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tier"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/top"
)

// commands is the table of subcommands. Each lives in a package of its own.
type commands struct {
	Proxy   proxy.Cmd    `cmd:"" help:"Stand in front of a service as a sidecar."`
	Check   check.Cmd    `cmd:"" help:"Say what a configuration means, or what is wrong with it."`
	Top     top.Cmd      `cmd:"" help:"Show what a running proxy does."`
	Recover recovery.Cmd `cmd:"" help:"Free a running proxy's service that is stuck."`
	Tier    tier.Cmd     `cmd:"" help:"List the tiers of a running proxy, and switch them by hand."`
	Demo    demo.Cmd     `cmd:"" help:"Play an overload, without and with the proxy."`
	Size    size.Cmd     `cmd:"" help:"Do the arithmetic of capacity: queues, concurrency, bursts, waits, retries."`
	Load    load.Cmd     `cmd:"" help:"Put a service under load, and say what reached callers who were still waiting."`
	Sim     simCmd       `cmd:"" help:"Play overloads in virtual time."`
	Sign    sign.Cmd     `cmd:"" help:"Make a signature that vouches for a request, for tests."`
	Version versionCmd   `cmd:"" help:"Print the version."`
}

// Help is the longer text of "plimsoll --help".
func (commands) Help() string {
	return `Example:
  plimsoll demo                                       # an overload in a minute
  plimsoll proxy --upstream http://127.0.0.1:8081     # before a service
  plimsoll load http://127.0.0.1:8080 --rate 500/s    # put it under load
  plimsoll sim compare overload                       # play one in virtual time`
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
