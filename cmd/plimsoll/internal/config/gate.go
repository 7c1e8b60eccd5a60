package config

import (
	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/limit"
)

// Gate returns the gate's part of the settings. Here zero means zero; there it
// means the default, and none is negative.
func (c Config) Gate() plimsoll.Config {
	g := plimsoll.Config{
		Name:       c.Name,
		MaxWait:    c.MaxWait,
		MaxQueue:   c.MaxQueue,
		MaxStreams: c.MaxStreams,
		Order:      c.Order,
		Full:       c.Full,
	}
	if c.Limit != 0 {
		g.Limit = limit.NewFixed(c.Limit)
	} else {
		g.Limit = limit.NewAuto(limit.AutoConfig{Min: c.MinLimit, Max: c.MaxLimit})
	}
	if c.MaxWait == 0 {
		g.MaxWait = -1
	}
	switch c.MaxQueue {
	case Unbounded:
		g.MaxQueue = 0
	case 0:
		g.MaxQueue = -1
	}
	if c.MaxStreams == 0 {
		g.MaxStreams = -1
	}
	return g
}
