package config

import "time"

// Drain is how a proxy ends.
type Drain struct {
	// Delay is how long requests are still taken after SIGTERM, while /readyz
	// already fails and the balancer takes notice. 0: they are not.
	Delay time.Duration
	// Timeout bounds the time that what is running then has to end. 0: it is
	// cut at once.
	Timeout time.Duration
}

var drain = object(func() Drain { return Default().Drain },
	member("delay", duration(true), func(d *Drain) *time.Duration { return &d.Delay },
		"How long requests are still taken after SIGTERM, while balancers take notice of /readyz. 0: none are."),
	member("timeout", duration(true), func(d *Drain) *time.Duration { return &d.Timeout },
		"How long what has been admitted has then to end. 0: it is cut at once."),
)
