package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// Story is what is to be told, and how.
type Story struct {
	Overload time.Duration // how long the worst of it lasts
	Fast     bool          // in two minutes, with less to see
	JSON     bool
}

// Tell plays the story, shows progress on standard error and prints the result
// on standard output. An interrupt ends it with an error.
func (s Story) Tell() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := newPlan(s.Overload, s.Fast).tell(ctx, newLive(os.Stderr))
	switch {
	case ctx.Err() != nil:
		return errors.New("demo: interrupted, there is no result")
	case err != nil:
		return fmt.Errorf("demo: %w", err)
	case s.JSON:
		return r.writeJSON(os.Stdout)
	}
	r.print(os.Stdout)
	return nil
}
