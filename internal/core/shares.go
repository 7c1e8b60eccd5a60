package core

import "github.com/plimsoll-go/plimsoll/class"

// shares hands out slots where classes are guaranteed a part of them.
//
// The whole slots of a guarantee are kept by count: a class that holds fewer
// and has somebody waiting is next, the highest of them first. What is left
// over is a fraction of a slot, and takes turns: with every slot that several
// wait for, each is credited its percents, and who gets it is debited a
// hundred if it is within its guarantee. At a hundred a class may hold one
// slot more than its whole ones. So a tenth of three slots is every tenth of
// them, and not nothing. What nobody claims goes to whoever ranks highest.
//
// A slot is never taken back from work that runs, and none stays free while
// anybody waits: what a class has lent is its own again within one service
// time.
type shares struct {
	// held is how many slots each class holds, of those handed out while
	// there were guarantees: what was admitted before is nobody's.
	held [class.Count]int
	// credit is in percent of a slot. Who does not wait or has borrowed has
	// none, so that nobody saves up; and who was alone owes nothing.
	credit [class.Count]int
}

// mostCredit bounds what a class is ahead or behind, in percent of a slot. With
// ten slots, one that waits for a long service to end gets what it missed; with
// two, services of random length cost it a twentieth of its guarantee.
const mostCredit = 1000

// shared reports whether classes are guaranteed anything. The word is closed
// while they are: who takes a slot from it is not counted in time.
func (m *Machine) shared() bool { return m.cfg.Shares.Any() }

// guaranteed is a class's part of the slots, in percent of a slot.
func (m *Machine) guaranteed(lane int) int { return m.cfg.Shares[lane] * m.slots }

// nextLane is the lane to serve next. Somebody waits.
func (m *Machine) nextLane() int {
	top := m.queue.Top()
	if !m.shared() {
		return top
	}
	s, turn := &m.shares, -1
	for lane := top; lane >= 0; lane-- {
		part := m.guaranteed(lane)
		switch whole := part / 100; {
		case part == 0 || m.queue.Waiting(lane) == 0:
		case s.held[lane] < whole:
			return lane
		case s.held[lane] == whole && part%100 > 0 && s.credit[lane]+m.cfg.Shares[lane] >= 100:
			if turn < 0 || s.credit[lane] > s.credit[turn] {
				turn = lane
			}
		}
	}
	if turn < 0 {
		return top
	}
	return turn
}

// account credits those who wait, and debits the class that is given a slot
// from the queue.
func (m *Machine) account(served int) {
	if !m.shared() {
		return
	}
	s := &m.shares
	alone := m.queue.Waiting(served) == m.queue.Depth()
	for lane := range s.credit {
		whole := m.guaranteed(lane) / 100
		if alone || m.queue.Waiting(lane) == 0 || s.held[lane] > whole+1 {
			s.credit[lane] = 0
			continue
		}
		if lane == served && s.held[lane] <= whole {
			s.credit[lane] -= 100
		}
		s.credit[lane] = max(-mostCredit, min(s.credit[lane]+m.cfg.Shares[lane], mostCredit))
	}
}

// hold counts the slot that w is given.
func (m *Machine) hold(w *Waiter) {
	if w.counted = m.shared(); w.counted {
		m.shares.held[lane(w)]++
	}
}

// let counts the slot that w gives back.
func (m *Machine) let(w *Waiter) {
	if w.counted {
		m.shares.held[lane(w)]--
		w.counted = false
	}
}
