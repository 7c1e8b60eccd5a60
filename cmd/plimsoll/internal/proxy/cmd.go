package proxy

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/heap"
)

// Cmd is the command line of "plimsoll proxy".
type Cmd struct {
	config.Flags
	NoWatch   bool   `help:"Load the file again on SIGHUP only, not when it changes."`
	LogFormat string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"How lines of the log are written: text, or json. Default: text."`
	Verbose   bool   `short:"v" help:"Log also what is ordinary, such as callers that leave."`
}

// Help is the longer text of "plimsoll proxy --help".
func (c *Cmd) Help() string {
	return `Stands in front of services and keeps their goodput at capacity, whatever
arrives. The limit is found; nothing has to be tuned.

Example:
  plimsoll proxy --listen :8080 --upstream http://127.0.0.1:8081
  plimsoll proxy --config proxy.yaml --limit 64 --max-wait 200ms

SIGHUP, POST /reload on the admin port, or a change of the file loads the
settings again: as a whole, or not at all if anything is wrong with them.

SIGTERM or an interrupt ends it in order: /readyz fails, what runs is served,
and it exits with 0. A second one ends it at once. Wrong settings are listed,
all of them, exit 2, and nothing listens.`
}

// Check returns every fault of the settings.
func (c *Cmd) Check() error {
	_, err := config.Load(c.Flags)
	return err
}

// heapFloor is how much a proxy allocates, at the least, between two collections.
const heapFloor = 16 << 20

// Run serves until a signal comes.
func (c *Cmd) Run() error {
	settings, err := config.Load(c.Flags)
	if err != nil {
		return err
	}
	// Before anything listens: who sees that knows that signals are heeded.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal is nobody's and ends the process
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	floor := heap.Floor(heapFloor)
	defer func() { runtime.KeepAlive(floor) }()
	log := slog.New(c.logHandler(os.Stderr)).With("proxy", settings.Name)
	p, err := New(settings, func() (config.Config, error) { return config.Load(c.Flags) }, log)
	if err != nil {
		return err
	}
	if err := p.Listen(); err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	go p.Signalled(ctx, hangups)
	if c.Config != "" && !c.NoWatch {
		if err := p.Watch(ctx, c.Config); err != nil {
			log.Warn("the configuration is not watched; SIGHUP loads it", "err", err.Error())
		}
	}
	if err := p.Serve(ctx); err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	return nil
}

// logHandler writes the log as the flags say.
func (c *Cmd) logHandler(to io.Writer) slog.Handler {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if c.Verbose {
		options.Level = slog.LevelDebug
	}
	if c.LogFormat == "json" {
		return slog.NewJSONHandler(to, options)
	}
	return slog.NewTextHandler(to, options)
}
