// Package tier is "plimsoll tier": it lists the tiers of a running proxy and
// switches one by hand, on the admin port.
package tier
