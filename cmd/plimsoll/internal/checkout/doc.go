// Package checkout is "plimsoll demo --story checkout": the outage of a shop,
// and what the ladder makes of it, on real processes.
//
// A checkout makes product pages of six parts, each a call to the store behind
// it, which does 460 whole pages a second. Shoppers wait for two seconds. Before,
// the checkout has 200 threads, an unbounded queue, a fresh timeout at every hop,
// and shoppers who try three times without jitter or budget. After, it has a
// gate with tiers, passes on what is left of a shopper's time, and shoppers have
// a retry budget of a tenth. Arrivals come at even distances, and neither side
// is told what the store can do: that is measured, with every tier off, with all
// of them on, and with the first alone.
//
// Checkout, store and pricing are processes of their own; shoppers are in the
// process that tells the story. See docs/ladder.md.
package checkout
