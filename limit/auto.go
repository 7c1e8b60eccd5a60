package limit

import (
	"errors"
	"fmt"
	"time"
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
		errs = append(errs, fmt.Errorf("plimsoll: auto limit: Min %d: give 0 (for 1) to %d", c.Min, Max))
	}
	if c.Max < 0 || c.Max > Max {
		errs = append(errs, fmt.Errorf("plimsoll: auto limit: Max %d: give 0 (for %d) to %d", c.Max, DefaultAutoMax, Max))
	}
	d := c.withDefaults()
	if d.Min > d.Max {
		errs = append(errs, fmt.Errorf("plimsoll: auto limit: Min %d is above Max %d: lower Min or raise Max", d.Min, d.Max))
	}
	if c.Initial != 0 && (c.Initial < d.Min || c.Initial > d.Max) {
		errs = append(errs, fmt.Errorf("plimsoll: auto limit: Initial %d: give 0, or a limit from Min %d to Max %d", c.Initial, d.Min, d.Max))
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

// Auto finds the limit by itself.
type Auto struct {
	cfg   AutoConfig
	limit int
}

// NewAuto returns an Auto within the bounds of c, which should be valid; see
// [AutoConfig.Validate].
func NewAuto(c AutoConfig) *Auto {
	c = c.withDefaults()
	return &Auto{cfg: c, limit: c.Initial}
}

// Start returns the first limit. See [Algorithm].
func (a *Auto) Start() Next { return a.next() }

// Fold judges a window. See [Algorithm].
func (a *Auto) Fold(w Window) Next {
	if w.Standing > (w.End-w.Start)/2 {
		a.limit = min(a.limit*2, a.cfg.Max)
	}
	return a.next()
}

func (a *Auto) next() Next {
	return Next{Limit: a.limit, MinSamples: 16, MinTime: 100 * time.Millisecond, MaxTime: time.Second}
}

var _ Algorithm = (*Auto)(nil)
