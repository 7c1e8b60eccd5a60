// Package check is "plimsoll check": what a configuration means, or what is
// wrong with it.
package check

import (
	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Cmd is the command line of "plimsoll check".
type Cmd struct {
	File    string `arg:"" optional:"" placeholder:"FILE" help:"The configuration of a proxy."`
	NoFiles bool   `help:"Do not look for the certificates and keys that the file names, as where it is checked before they are there."`
	Schema  bool   `help:"Print the JSON schema of such files, for editors."`
}

// Help is the longer text of "plimsoll check --help".
func (c *Cmd) Help() string {
	return `Prints the configuration that a file amounts to, every default included, as
a file that means the same; or all that is wrong with it, one fault a line, and
exits with 2.

Example:
  plimsoll check gate.yaml
  gate.yaml:7: timeout: want a duration that is not negative; it needs a unit
  right behind the number, such as 500ms, 2s or 1h30m, have 600`
}

// Check returns every fault of the file.
func (c *Cmd) Check() error {
	_, err := c.load()
	return err
}

func (c *Cmd) load() (config.Config, error) {
	if c.File == "" {
		return config.Config{}, strict.Faults{{Key: "FILE", Want: "want the configuration to check, or --schema"}}
	}
	if c.NoFiles {
		return config.LoadText(config.Flags{Config: c.File})
	}
	return config.Load(config.Flags{Config: c.File})
}

// Run prints what the file means, or the schema.
func (c *Cmd) Run(k *kong.Kong) error {
	if c.Schema {
		text, err := config.Schema()
		if err == nil {
			_, err = k.Stdout.Write(text)
		}
		return err
	}
	settings, err := c.load()
	if err != nil {
		return err
	}
	return settings.Print(k.Stdout)
}
