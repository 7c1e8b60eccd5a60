package limit

import (
	"errors"
	"fmt"
)

// AutoConfig bounds an [Auto]. The zero value is the default and needs no
// tuning: bounds are for those who know something that no measurement shows.
type AutoConfig struct {
	// Min is the floor of the limit; 0 means 1.
	Min int
	// Max is its cap; 0 means DefaultAutoMax.
	Max int
	// Initial is the limit to start at; 0 means DefaultAutoInitial, or the bound
	// that is nearest to it.
	Initial int
}

// The defaults of [AutoConfig].
const (
	DefaultAutoMax     = 4096
	DefaultAutoInitial = 20
)

// Validate returns every fault of the configuration, joined, and nil when
// there is none. It changes nothing.
func (c AutoConfig) Validate() error {
	var errs []error
	if c.Min < 0 || c.Min > Max {
		errs = append(errs, fmt.Errorf("limit: Auto: Min %d: give 0 (for 1) to %d", c.Min, Max))
	}
	if c.Max < 0 || c.Max > Max {
		errs = append(errs, fmt.Errorf("limit: Auto: Max %d: give 0 (for %d) to %d", c.Max, DefaultAutoMax, Max))
	}
	d := c.withDefaults()
	if d.Min > d.Max { // no Initial is between them, whoever has given it
		errs = append(errs, fmt.Errorf("limit: Auto: Min %d is above Max %d: lower Min or raise Max", d.Min, d.Max))
	} else if c.Initial != 0 && (c.Initial < d.Min || c.Initial > d.Max) {
		errs = append(errs, fmt.Errorf("limit: Auto: Initial %d: give 0, or a limit from Min %d to Max %d", c.Initial, d.Min, d.Max))
	}
	return errors.Join(errs...)
}

func (c AutoConfig) withDefaults() AutoConfig {
	if c.Min == 0 {
		c.Min = 1
	}
	if c.Max == 0 {
		c.Max = max(DefaultAutoMax, c.Min)
	}
	if c.Initial == 0 {
		c.Initial = min(max(DefaultAutoInitial, c.Min), c.Max)
	}
	return c
}
