// Package sign is "plimsoll sign": a signature that vouches for a request, as
// a proxy with the key believes it.
package sign

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Cmd is the command line of "plimsoll sign". Its flags are text, so that
// every fault is found at once.
type Cmd struct {
	Key         string `placeholder:"FILE" help:"The key: base64 text, or 32 raw bytes or more, as in trust.keys of a configuration."`
	ID          string `name:"id" placeholder:"ID" help:"The key's id, as in trust.keys."`
	Criticality string `placeholder:"CLASS" default:"CRITICAL_PLUS" help:"What is vouched for: CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE. Default: CRITICAL_PLUS."`
	Level       string `placeholder:"N" help:"The level inside it, 1 to 127. Default: none."`
	Timeout     string `placeholder:"TIME" help:"The longest deadline that the request's own headers are believed up to. Default: none."`
	Expires     string `placeholder:"TIME" default:"1m" help:"How long the signature is believed, 5m at most. Default: 1m."`
	JSON        bool   `name:"json" help:"Print the header and what it says as JSON."`

	now func() time.Time // nil: the clock; tests set it
}

// Help is the longer text of "plimsoll sign --help".
func (c *Cmd) Help() string {
	return `Prints the header that vouches for one request, for tests of a gate that
believes signatures. A signature is tied to no request: whoever has it can use
it until it expires. docs/headers.md has its form, for signers in any language.

Example:
  openssl rand -base64 32 > edge-1.key
  curl -H "$(plimsoll sign --key edge-1.key --id edge-1)" http://127.0.0.1:8080/
  plimsoll sign --key edge-1.key --id edge-1 --criticality SHEDDABLE --level 7 --json`
}

// Check returns every fault of the flags.
func (c *Cmd) Check() error {
	_, err := c.sign()
	return err
}

// Run prints the signature.
func (c *Cmd) Run(k *kong.Kong) error {
	s, err := c.sign()
	if err != nil {
		return err
	}
	if !c.JSON {
		_, err := fmt.Fprintf(k.Stdout, "%s: %s\n", s.Header, s.Value)
		return err
	}
	e := json.NewEncoder(k.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// signed is a signature and what it says.
type signed struct {
	Header      string            `json:"header"`
	Value       string            `json:"value"`
	Key         string            `json:"key"`
	Criticality class.Criticality `json:"criticality"`
	Level       class.Level       `json:"level,omitempty"`
	TimeoutMs   int64             `json:"timeout_ms,omitempty"`
	Expires     time.Time         `json:"expires"`
}

// sign reads the flags and signs what they say.
func (c *Cmd) sign() (signed, error) {
	now := time.Now()
	if c.now != nil {
		now = c.now()
	}
	var f strict.Faults
	keys := c.keyring(&f)
	claims := c.claims(&f, now)
	if err := f.Err(); err != nil {
		return signed{}, err
	}
	value, err := keys.Sign(c.ID, claims, now)
	if err != nil {
		return signed{}, err
	}
	return signed{
		Header: wire.SignatureHeader, Value: value, Key: c.ID,
		Criticality: claims.Criticality, Level: claims.Level, TimeoutMs: claims.Timeout.Milliseconds(), Expires: claims.Expires.UTC(),
	}, nil
}

// keyring reads the key.
func (c *Cmd) keyring(f *strict.Faults) *wire.Keyring {
	if c.ID == "" {
		fault(f, "id", "the id of the key, such as edge-1")
	}
	if c.Key == "" {
		fault(f, "key", "the file with the key, such as edge-1.key")
		return nil
	}
	secret, err := config.ReadKey(c.Key)
	if err != nil {
		fault(f, "key", "a file that can be used, have %s: %s", c.Key, err)
		return nil
	}
	if c.ID == "" {
		return nil
	}
	keys, err := wire.NewKeyring(map[string][]byte{c.ID: secret})
	if err != nil {
		fault(f, "id", "1 to 64 letters, digits, '.', '-' or '_', have %.40q", c.ID)
	}
	return keys
}

// claims reads what is vouched for.
func (c *Cmd) claims(f *strict.Faults, now time.Time) (claims wire.Claims) {
	var ok bool
	if claims.Criticality, ok = class.Parse(c.Criticality); !ok {
		fault(f, "criticality", "CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE, have %.40q", c.Criticality)
	}
	if c.Level != "" {
		n, err := strconv.Atoi(c.Level)
		if err != nil || n < 1 || n > int(class.MaxLevel) {
			fault(f, "level", "a whole number from 1 to %d, have %.40s", class.MaxLevel, c.Level)
		}
		claims.Level = class.Level(n)
	}
	if c.Timeout != "" {
		claims.Timeout = c.duration(f, "timeout", c.Timeout)
		if claims.Timeout%time.Millisecond != 0 {
			fault(f, "timeout", "whole milliseconds, have %s", c.Timeout)
		}
	}
	life := c.duration(f, "expires", c.Expires)
	if life%time.Second != 0 || life > wire.MaxSignatureLife {
		fault(f, "expires", "whole seconds, %s at most, have %s", wire.MaxSignatureLife, c.Expires)
	}
	claims.Expires = now.Truncate(time.Second).Add(life)
	return claims
}

// duration reads a duration above zero.
func (c *Cmd) duration(f *strict.Faults, flag, text string) time.Duration {
	d, err := strict.ParseDuration(text)
	if err != nil || d == 0 {
		fault(f, flag, "a duration above 0; it needs a unit right behind the number, such as 500ms, 2s or 1m, have %s", text)
		return time.Second // so that nothing else is said of it
	}
	return d
}

func fault(f *strict.Faults, flag, format string, args ...any) {
	*f = append(*f, strict.Fault{Key: "--" + flag, Want: "want " + fmt.Sprintf(format, args...)})
}
