package tier

import (
	"context"
	"encoding/json"
	"fmt"
	"os/user"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/admin"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// Cmd is the command line of "plimsoll tier".
type Cmd struct {
	Admin string `arg:"" placeholder:"ADMIN" help:"The proxy's admin port, such as 127.0.0.1:9090."`
	Do    string `arg:"" placeholder:"list|on|off|auto" help:"What to do: list the tiers, switch one on or off, or give it back to the ladder."`
	Tier  string `arg:"" optional:"" placeholder:"NAME" help:"The tier to switch."`
	Gate  string `placeholder:"NAME" help:"The gate whose tier it is. Without it: all that have it."`
	By    string `placeholder:"NAME" help:"Who you are: it stands in the proxy's log and in the list, with your address and the time. Without it: the name of your account."`
	JSON  bool   `help:"Print JSON."`
}

// modes are what a tier can be switched to.
var modes = []string{"on", "off", "auto"}

// Help is the longer text of "plimsoll tier --help".
func (c *Cmd) Help() string {
	return `A tier is something that is left out, or answered more cheaply, before anybody
is refused. It goes on and off by the delay of the queue; a person may switch it
on, as before an announced rush, or off, as when its fallback shows something
wrong. It stays so, over reloads too, until it is given back: auto.

Example:
  plimsoll tier 127.0.0.1:9090 list
  plimsoll tier 127.0.0.1:9090 on reviews --gate shop --by ada
  plimsoll tier 127.0.0.1:9090 auto reviews`
}

// Check returns every fault of the command line.
func (c *Cmd) Check() error {
	var faults strict.Faults
	want := func(ok bool, key, format string, args ...any) {
		if !ok {
			faults = append(faults, strict.Fault{Key: key, Want: "want " + fmt.Sprintf(format, args...)})
		}
	}
	if _, err := admin.Parse(c.Admin); err != nil {
		faults = append(faults, strict.Fault{Key: "<admin>", Want: err.Error()})
	}
	switches := slices.Contains(modes, c.Do)
	want(switches || c.Do == "list", "<do>", "list, on, off or auto, have %q", c.Do)
	want(!switches || c.Tier != "", "<tier>", "the name of the tier to switch; list has them")
	want(c.Do != "list" || c.Tier == "", "<tier>", "no tier with list, have %q", c.Tier)
	want(len(c.By) <= telemetry.MaxName, "--by", "a name of %d bytes at most", telemetry.MaxName)
	return faults.Err()
}

// Run lists the tiers, or switches one and says where.
func (c *Cmd) Run(k *kong.Kong) error {
	if err := c.Check(); err != nil {
		return err
	}
	port, err := admin.Parse(c.Admin)
	if err != nil {
		return err
	}
	if c.Do != "list" {
		return c.change(k, port)
	}
	s, err := port.Status(context.Background())
	if err != nil {
		return err
	}
	all, err := tiersOf(&s, c.Gate)
	if err != nil {
		return err
	}
	if c.JSON {
		e := json.NewEncoder(k.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	return table(k.Stdout, all, s.At)
}

// who is whoever runs the command; "": nobody knows.
func (c *Cmd) who() string {
	if c.By != "" {
		return c.By
	}
	me, err := user.Current()
	if err != nil || len(me.Username) > telemetry.MaxName {
		return ""
	}
	return me.Username
}

func (c *Cmd) change(k *kong.Kong, port *admin.Port) error {
	gates, err := port.Tier(context.Background(), c.Gate, c.Tier, c.Do, c.who())
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(k.Stdout).Encode(telemetry.Recovered{Gates: gates})
	}
	_, err = fmt.Fprintf(k.Stdout, "%s %s: %s\n", c.Tier, c.Do, strings.Join(gates, ", "))
	return err
}
