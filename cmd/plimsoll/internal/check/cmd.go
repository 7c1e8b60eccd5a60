// Package check is "plimsoll check": what a configuration means, or what is
// wrong with it, and the chain of bounds that follows from it.
package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/admin"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/bounds"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Cmd is the command line of "plimsoll check".
type Cmd struct {
	File    string `arg:"" optional:"" placeholder:"FILE" help:"The configuration of a proxy."`
	Strict  bool   `help:"Exit with 1 when there are warnings."`
	JSON    bool   `help:"Print the chain of bounds as JSON instead."`
	Offline bool   `help:"Do not ask the proxy that may run at the file's admin address."`
	NoFiles bool   `help:"Do not look for the certificates and keys that the file names, as where it is checked before they are there."`
	Schema  bool   `help:"Print the JSON schema of such files, for editors."`
	Doc     bool   `help:"Print the page that describes every key, in Markdown."`
}

// Help is the longer text of "plimsoll check --help".
func (c *Cmd) Help() string {
	return `Prints the configuration that a file amounts to, every default included, as
a file that means the same; below it, in comments, the chain of bounds that a
request passes, each with its value, where it comes from and what happens when
it is hit, read from the running proxy where there is one. Warnings say where
the chain does not hang together: they go to the standard error.

Or prints all that is wrong with the file, one fault a line, and exits with 2.

Example:
  plimsoll check gate.yaml
  gate.yaml:7: timeout: want a duration that is not negative; it needs a unit
  right behind the number, such as 500ms, 2s or 1h30m, have 600

  plimsoll check --strict --offline --no-files gate.yaml   # in CI
  plimsoll check --schema >proxy.schema.json               # for editors`
}

// Check returns every fault of the file.
func (c *Cmd) Check() error {
	_, err := c.load()
	return err
}

func (c *Cmd) load() (config.Config, error) {
	if c.File == "" {
		return config.Config{}, strict.Faults{{Key: "<file>", Want: "want the configuration to check, or --schema or --doc"}}
	}
	if c.NoFiles {
		return config.LoadText(config.Flags{Config: c.File})
	}
	return config.Load(config.Flags{Config: c.File})
}

// Run prints what the file means, or what is known of such files.
func (c *Cmd) Run(k *kong.Kong) error {
	if c.Schema {
		text, err := config.Schema()
		if err == nil {
			_, err = k.Stdout.Write(text)
		}
		return err
	}
	if c.Doc {
		_, err := io.WriteString(k.Stdout, config.Reference())
		return err
	}
	settings, err := c.load()
	if err != nil {
		return err
	}
	chain, note := c.chain(settings)
	if c.JSON {
		err = printJSON(k.Stdout, chain)
	} else {
		err = printText(k.Stdout, settings, chain, note)
		for _, w := range chain.Warnings {
			fmt.Fprintf(k.Stderr, "%s\n", strings.ReplaceAll("warning: "+w.String(), "\n", " "))
		}
	}
	if err == nil && c.Strict && len(chain.Warnings) > 0 {
		return fmt.Errorf("check: %d warnings", len(chain.Warnings))
	}
	return err
}

// chain reads the running proxy where there is one; note says why not.
func (c *Cmd) chain(settings config.Config) (chain *bounds.Chain, note string) {
	if c.Offline {
		return bounds.Of(settings, bounds.System()), ""
	}
	running, err := ask(settings.Admin)
	if err != nil {
		return bounds.Of(settings, bounds.System()), fmt.Sprintf("no proxy was read: %s", err)
	}
	chain = bounds.Of(settings, running.Reading)
	chain.Warnings = append(chain.Warnings, chain.NotInForce(running)...)
	return chain, ""
}

// askTimeout bounds the question: the proxy is on this machine, or near.
const askTimeout = 2 * time.Second

func ask(address string) (*bounds.Chain, error) {
	port, err := admin.Parse(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	return port.Bounds(ctx)
}

func printText(w io.Writer, settings config.Config, chain *bounds.Chain, note string) error {
	if err := settings.Print(w); err != nil {
		return err
	}
	if note != "" {
		note = "# " + note + "\n"
	}
	if _, err := io.WriteString(w, "\n"+note); err != nil {
		return err
	}
	return chain.Print(w)
}

func printJSON(w io.Writer, chain *bounds.Chain) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(chain)
}
