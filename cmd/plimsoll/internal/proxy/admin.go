package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// shedLogs is how many refusals of each reason are logged in a second.
const shedLogs = 10

// defaultRamp is how long a recovery takes that nobody has said the length of.
const defaultRamp = 5 * time.Second

// Admin is the handler of the admin port.
func (p *Proxy) Admin() http.Handler { return p.record.Admin(p) }

// View is what the proxy looks like now.
func (p *Proxy) View() telemetry.View {
	s := p.gate.Snapshot()
	return telemetry.View{
		Name: p.config.Name, At: s.At, Since: p.since,
		Gates:  []*plimsoll.Snapshot{&s},
		Routes: []*telemetry.Route{p.route},
		Reload: telemetry.Reload{At: p.since, Good: 1},
	}
}

// Recover drops the backlog and readmits on a ramp.
func (p *Proxy) Recover(gate string, ramp time.Duration) ([]string, error) {
	if gate != "" && gate != p.config.Gates[0].Name {
		return nil, fmt.Errorf("there is no gate %q, only %q", gate, p.config.Gates[0].Name)
	}
	if ramp < 0 {
		ramp = defaultRamp
	}
	p.gate.Recover(ramp)
	p.record.Recovered(p.config.Gates[0].Name, false)
	return []string{p.config.Gates[0].Name}, nil
}

// Reload refuses: the settings are read once.
func (p *Proxy) Reload() error { return errors.New("the settings are read once, at the start") }

// Bounds is not known.
func (p *Proxy) Bounds() any { return nil }
