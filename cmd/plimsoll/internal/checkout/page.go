package checkout

import "time"

// workers are those of the store, which every part of the page is made by.
const workers = 8

// part is a part of the product page.
type part struct {
	name  string
	cost  time.Duration // what its making takes of a worker of the store
	cheap time.Duration // the same of the answer in its place; 0: that is at hand, or the part is omitted
	tier  string        // the tier that stands for it; "": it is never dropped
}

// page is what is on a product page. What its parts take together is what
// bounds the shop: the store does 460 whole pages a second, 561 without the
// sentiment of the reviews, and 610 of the cheapest. Nothing else knows these
// numbers; they come out of the measurement.
var page = []part{
	{name: "price", cost: 12915 * time.Microsecond},
	{name: "images", cost: 445 * time.Microsecond, cheap: 200 * time.Microsecond, tier: "images"},
	{name: "inventory", cost: 200 * time.Microsecond, tier: "inventory"},
	{name: "recommendations", cost: 400 * time.Microsecond, tier: "recommendations"},
	{name: "also-viewed", cost: 300 * time.Microsecond, tier: "also-viewed"},
	{name: "sentiment", cost: 3131 * time.Microsecond, tier: "sentiment"},
}

// tiers are the steps of the ladder with the delay above which each is taken,
// the least loss first.
var tiers = []struct {
	name string
	on   time.Duration
}{
	{"sentiment", 200 * time.Millisecond},
	{"also-viewed", 400 * time.Millisecond},
	{"recommendations", 400 * time.Millisecond},
	{"inventory", 600 * time.Millisecond},
	{"images", 800 * time.Millisecond},
}

// patience is how long a shopper waits for a page.
const patience = 2 * time.Second
