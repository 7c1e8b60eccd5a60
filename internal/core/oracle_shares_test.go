package core

// The oracle's half that has to do with guaranteed shares.

// lent is who holds what, and what each lane has to its credit.
type lent struct{ held, credit [4]int }

func (o *oracle) giveBack(e *entry) {
	if e.counted {
		o.lent.held[e.class()]--
	}
	e.counted = false
}

func (o *oracle) depth(lane int) int {
	n := 0
	for _, w := range o.wait {
		if o.lane(w) == lane {
			n++
		}
	}
	return n
}

func (o *oracle) owned(lane int) int { return (o.places*o.cfg.Shares[lane] + 99) / 100 }

// borrowed is who has to give a place back to e, or up to it as of a lower
// lane that holds more than is its own.
func (o *oracle) borrowed(e *entry) *entry {
	mine := o.lane(e)
	borrows := func(lane int) bool { return o.depth(lane) > o.owned(lane) }
	if v := o.lowest(func(l int) bool { return l < mine && borrows(l) }); v != nil {
		return v
	}
	if o.depth(mine) >= o.owned(mine) {
		return nil
	}
	return o.lowest(func(l int) bool { return l > mine && borrows(l) })
}

// nextLane: the highest that waits and holds less than its whole slots; else
// whoever has the most credit, if that is a slot's; else the highest.
func (o *oracle) nextLane() int {
	top, best := 0, -1
	for l := range 4 {
		if o.depth(l) > 0 {
			top = l
		}
	}
	for l := 3; l >= 0; l-- {
		if o.depth(l) > 0 && o.lent.held[l] < o.cfg.Shares[l]*o.slots()/100 {
			return l
		}
	}
	for l := 3; l >= 0; l-- {
		part := o.cfg.Shares[l] * o.slots()
		claims := o.depth(l) > 0 && part%100 > 0 && o.lent.held[l] == part/100 && o.lent.credit[l]+o.cfg.Shares[l] >= 100
		if claims && (best < 0 || o.lent.credit[l] > o.lent.credit[best]) {
			best = l
		}
	}
	if best >= 0 {
		return best
	}
	return top
}

// accounts is called once somebody was taken from a lane.
func (o *oracle) accounts(lane int) {
	others := len(o.wait) - o.depth(lane)
	for l := range 4 {
		whole := o.cfg.Shares[l] * o.slots() / 100
		c := o.lent.credit[l] + o.cfg.Shares[l]
		if l == lane && o.lent.held[l] <= whole {
			c -= 100
		}
		if others == 0 || o.depth(l) == 0 || o.lent.held[l] > whole+1 || !o.cfg.Shares.Any() {
			c = 0
		}
		o.lent.credit[l] = min(max(c, -1000), 1000)
	}
}
