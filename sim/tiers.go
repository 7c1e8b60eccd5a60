package sim

import (
	"errors"

	"github.com/plimsoll-go/plimsoll/ladder"
)

// SwitchTier has a person switch a tier of the station's gate on or off, or give
// it back to the ladder. Without a gate that has such a tier nothing happens.
type SwitchTier struct {
	Tier string
	Mode ladder.Mode
}

func (t SwitchTier) apply(e *engine, s *station) {
	if s.machine != nil && s.machine.Override(e.now, t.Tier, t.Mode) {
		e.moved(s, nil)
	}
}

func (t SwitchTier) validate() error {
	if t.Tier == "" || t.Mode > ladder.Off {
		return errors.New("want a tier, and auto, on or off")
	}
	return nil
}
