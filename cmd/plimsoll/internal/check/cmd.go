// Package check is "plimsoll check": what a configuration means, or what is
// wrong with it.
package check

import (
	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// Cmd is the command line of "plimsoll check".
type Cmd struct {
	File string `arg:"" placeholder:"FILE" help:"The configuration of a proxy."`
}

// Help is the longer text of "plimsoll check --help".
func (c *Cmd) Help() string {
	return `Prints the configuration that a file amounts to, every default included, as
a file that means the same; or all that is wrong with it, one fault a line, and
exits with 2.

Example:
  plimsoll check gate.yaml
  gate.yaml:7: maxWait: want a duration that is not negative; it needs a unit
  right behind the number, such as 500ms, 2s or 1h30m, have 600`
}

// Check returns every fault of the file.
func (c *Cmd) Check() error {
	_, err := config.Load(config.Flags{Config: c.File})
	return err
}

// Run prints what the file means.
func (c *Cmd) Run(k *kong.Kong) error {
	settings, err := config.Load(config.Flags{Config: c.File})
	if err != nil {
		return err
	}
	return settings.Print(k.Stdout)
}
