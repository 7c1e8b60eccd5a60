package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Ladder is what a gate answers more cheaply before it refuses anybody. The zero
// value: nothing.
type Ladder struct {
	// Dwell is the least time between two transitions, and Quiet how long the
	// queue's delay has to be low before a tier goes off, both above 0.
	Dwell, Quiet time.Duration
	// Exercise is the share of requests that each tier is tried out on.
	Exercise Percent
	// Tiers, in the order in which they go on.
	Tiers []Tier
}

// Tier is one thing that can be answered more cheaply.
type Tier struct {
	Name string
	// On is the queue delay above which the tier goes on, above 0, and Off the one
	// below which it goes off, filled in from On where it was not given.
	On, Off time.Duration
	// Spare are criticalities that keep the full answer.
	Spare []class.Criticality
	// Fallbacks bounds the requests that are under way to this tier's fallbacks.
	// 0: the gate's limit alone does.
	Fallbacks int
}

// Any reports whether there are tiers.
func (l Ladder) Any() bool { return len(l.Tiers) > 0 }

// Equal reports whether two ladders are the same in everything.
func (l Ladder) Equal(o Ladder) bool {
	return l.Dwell == o.Dwell && l.Quiet == o.Quiet && l.Exercise == o.Exercise && slices.EqualFunc(l.Tiers, o.Tiers, Tier.equal)
}

func (t Tier) equal(o Tier) bool {
	return t.Name == o.Name && t.On == o.On && t.Off == o.Off && t.Fallbacks == o.Fallbacks && slices.Equal(t.Spare, o.Spare)
}

// plimsoll is the ladder as the library has it; nil: there is none.
func (l Ladder) plimsoll() *ladder.Config {
	if !l.Any() {
		return nil
	}
	c := &ladder.Config{Dwell: l.Dwell, Quiet: l.Quiet, Exercise: l.Exercise.Share(), NoExercise: l.Exercise == 0}
	for _, t := range l.Tiers {
		c.Tiers = append(c.Tiers, ladder.Tier{Name: t.Name, On: t.On, Off: t.Off, Spare: t.Spare, Fallbacks: t.Fallbacks})
	}
	return c
}

// resolve fills in what follows from other values.
func (l *Ladder) resolve() {
	for i := range l.Tiers {
		if t := &l.Tiers[i]; t.Off == 0 {
			t.Off = t.On / 2
		}
	}
}

func newLadder() Ladder {
	return Ladder{Dwell: ladder.DefaultDwell, Quiet: ladder.DefaultQuiet, Exercise: 100 * ladder.DefaultExercise}
}

// ladderKind is left out where there are no tiers.
var ladderKind = func() kind[Ladder] {
	k := object(newLadder,
		member("dwell", duration(false), func(l *Ladder) *time.Duration { return &l.Dwell },
			"The least time between two transitions, whichever tiers they are of."),
		member("quiet", duration(false), func(l *Ladder) *time.Duration { return &l.Quiet },
			"How long the delay has to stay below a tier's threshold before it goes off. One that has to come back soon after waits for twice as long the next time, eight times at most."),
		member("exercise", percent(0, 100), func(l *Ladder) *Percent { return &l.Exercise },
			"The share of requests that each tier is tried out on while it is off, so that it works on the day it is needed; a fallback that fails then is followed by the full way. 0%: none."),
		member("tiers", some("tier", list("tiers", zero[Tier], tier)), func(l *Ladder) *[]Tier { return &l.Tiers },
			"What can be left out or answered more cheaply, the cheapest loss first: they go on in this order, one at a time.").need("the tiers, such as [{name: reviews, above: 200ms}]"),
	)
	inner := k
	k.read = func(r *reader, v strict.Value, to *Ladder) {
		*to = newLadder()
		inner.read(r, v, to)
	}
	return k
}()

var tier = object(zero[Tier],
	member("name", name("a name of letters, digits, - and _ that says what is lost, such as reviews"), func(t *Tier) *string { return &t.Name },
		"What is lost: the word in Plimsoll-Degrade by which the service is told.").need("what is lost, such as reviews"),
	member("above", duration(false), func(t *Tier) *time.Duration { return &t.On },
		"The delay of the queue beyond which the tier goes on: how many wait, divided by how many are served. No less than that of the tier before it, and less than maxWait.").need("the delay of the queue beyond which the tier goes on, such as 200ms"),
	member("below", duration(false), func(t *Tier) *time.Duration { return &t.Off },
		"The delay below which it goes off again, less than above. Absent: half of that.").when(func(t *Tier) bool { return t.Off > 0 }),
	member("spare", list("criticalities", zero[class.Criticality], criticality).also(schema{"uniqueItems": true}), func(t *Tier) *[]class.Criticality { return &t.Spare },
		"Criticalities that keep the full answer, whatever the state of the tier."),
	member("fallbacks", number(0, most), func(t *Tier) *int { return &t.Fallbacks },
		"How many requests may be under way to this tier's fallbacks (degrade of a route) at once; what comes on top is answered 503. 0: no bound but the gate's limit."),
)

// ladderFields are the keys of a ladder by the names that the library has.
var ladderFields = map[string]string{
	"Dwell": "dwell", "Quiet": "quiet", "Exercise": "exercise", "Tiers": "tiers",
	"Name": "name", "On": "above", "Off": "below", "Spare": "spare", "Fallbacks": "fallbacks",
}

// ladder checks the tiers of a gate: by themselves, beside one another, and that
// the gate's queue can get as long as they want.
func (r *reader) ladder(gate string, g Gate) {
	c := g.Ladder.plimsoll()
	if c == nil {
		return
	}
	place := gate + ".ladder"
	for _, f := range c.Faults() {
		parent := place
		if f.Tier >= 0 {
			parent = fmt.Sprintf("%s.tiers[%d]", place, f.Tier)
		}
		at := under(parent, ladderFields[f.Field])
		if r.bad[at] || !r.has(at) && r.bad[parent] {
			continue // it is said already that there is none, or that it cannot be read
		}
		r.Want(r.giver(at, parent), "%s, have %v", strings.ReplaceAll(f.Wanted, "below On", "less than above"), f.Got)
	}
	if !r.fine(gate+".maxWait", gate+".maxQueue") {
		return
	}
	if g.MaxWait == 0 || g.MaxQueue == 0 {
		r.Want(r.giver(place), "a queue before it (maxWait and maxQueue above 0), by whose delay tiers go on")
		return
	}
	for i, t := range g.Ladder.Tiers {
		if at := fmt.Sprintf("%s.tiers[%d].above", place, i); t.On >= g.MaxWait && r.has(at) && r.fine(at) {
			r.Want(r.giver(at), "a delay below maxWait, %s, or nothing reaches tier %s, have %s", g.MaxWait, t.Name, t.On)
		}
	}
}
