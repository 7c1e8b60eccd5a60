package sim

import "github.com/plimsoll-go/plimsoll/throttle"

// Throttle keeps a kind's callers from sending what would be refused. An
// attempt is accepted if it was answered in time.
type Throttle = throttle.Config
