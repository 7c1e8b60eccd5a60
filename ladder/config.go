package ladder

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// MaxTiers is how many tiers a ladder has at most.
const MaxTiers = 16

// Defaults of [Config].
const (
	// DefaultDwell lets the next tier follow its threshold's crossing within
	// 300 ms, and is several of a gate's windows while a queue stands.
	DefaultDwell    = 250 * time.Millisecond
	DefaultQuiet    = 5 * time.Second
	DefaultExercise = 0.01
)

// Config describes a [Ladder].
type Config struct {
	// Tiers, in the order in which they go on: the cheapest loss first. Their
	// thresholds rise in that order. At least one, at most [MaxTiers].
	Tiers []Tier
	// Dwell is the least time between two transitions, in either direction,
	// except those that a person or a failing fallback causes. Zero:
	// [DefaultDwell].
	Dwell time.Duration
	// Quiet is how long in a row the signal has to be below the last tier's Off
	// before that tier goes off. A tier that has to go on again before twice that
	// time has passed waits for twice as long the next time, up to eight times
	// Quiet, so that a lasting overload is not probed all the time. Zero:
	// [DefaultQuiet].
	Quiet time.Duration
	// Exercise is the share of requests, from 0 to 1, that each tier's cheaper
	// answer is given to although the tier is off: one tier for any request, so
	// that all of them together take no more than everything. Zero:
	// [DefaultExercise].
	Exercise float64
	// NoExercise says that nobody gets a cheaper answer while no tier is on.
	NoExercise bool
	// Seed seeds the choice of those who are exercised. The same seed makes the
	// same choice in a simulation; a live gate draws its own where it is zero.
	Seed uint64
}

// Tier is one thing that can be answered more cheaply. It goes by a delay, On
// and Off, or by a signal that the caller supplies, Above and Below; all tiers
// of a ladder go by the same.
type Tier struct {
	// Name says what is lost, such as "recommendations". It travels in a header
	// as an RFC 9110 token: letters, digits and !#$%&'*+-.^_`|~ alone.
	Name string
	// On is the queue delay above which the tier goes on.
	On time.Duration
	// Off is the queue delay below which it goes off. Zero: half of On.
	Off time.Duration
	// Above is the supplied signal above which the tier goes on: a share of CPU
	// or heap, or a time in seconds, as the caller likes.
	Above float64
	// Below is the signal below which it goes off. Zero: half of Above.
	Below float64
	// Spare lists criticalities that keep the full answer whatever this tier's
	// state is. They are not exercised either.
	Spare []class.Criticality
	// Fallbacks is how many of this tier's cheaper ways [Do] runs at once; what
	// comes on top fails at once with [ErrFull]. Zero: no bound but the gate's.
	Fallbacks int
}

// ByDelay reports whether the tiers go by a queue delay, and not by a signal
// that the caller supplies.
func (c Config) ByDelay() bool {
	return !slices.ContainsFunc(c.Tiers, func(t Tier) bool { return t.Above != 0 })
}

// HighestOn is the highest delay at which a tier goes on; zero where tiers go by
// a supplied signal.
func (c Config) HighestOn() time.Duration {
	var most time.Duration
	for _, t := range c.Tiers {
		most = max(most, t.On)
	}
	return most
}

// Fault is one value of a [Config] that is of no use.
type Fault struct {
	Tier   int    // whose; -1: the ladder's own
	Field  string // of Config or Tier
	Wanted string
	Got    any
}

// Error names the field, what is wanted there, and what stands there.
func (f Fault) Error() string {
	return fmt.Sprintf("ladder: %s: want %s, have %v", f.Place(), f.Wanted, f.Got)
}

// Place is where it stands, such as Tiers[1].On.
func (f Fault) Place() string {
	if f.Tier < 0 {
		return f.Field
	}
	return fmt.Sprintf("Tiers[%d].%s", f.Tier, f.Field)
}

// Validate reports every fault at once, each a [Fault], and changes nothing.
func (c Config) Validate() error {
	var all []error
	for _, f := range c.Faults() {
		all = append(all, f)
	}
	return errors.Join(all...)
}

// Faults returns every fault of c.
func (c Config) Faults() []Fault {
	var all []Fault
	want := func(ok bool, tier int, field, wanted string, got any) {
		if !ok {
			all = append(all, Fault{tier, field, wanted, got})
		}
	}
	want(len(c.Tiers) > 0 && len(c.Tiers) <= MaxTiers, -1, "Tiers", fmt.Sprintf("1 to %d tiers", MaxTiers), len(c.Tiers))
	want(c.Dwell >= 0, -1, "Dwell", "a time of 0 or more", c.Dwell)
	want(c.Quiet >= 0, -1, "Quiet", "a time of 0 or more", c.Quiet)
	want(c.Exercise >= 0 && c.Exercise <= 1, -1, "Exercise", "a share from 0 to 1", c.Exercise)
	want(!c.NoExercise || c.Exercise == 0, -1, "Exercise", "none, or NoExercise false", c.Exercise)
	for i, t := range c.Tiers {
		t.faults(func(ok bool, field, wanted string, got any) { want(ok, i, field, wanted, got) })
		before := c.Tiers[:i]
		want(!slices.ContainsFunc(before, func(b Tier) bool { return b.Name == t.Name }), i, "Name", "a name that no other tier has", t.Name)
		if i > 0 {
			last := before[i-1]
			want(t.On == 0 || t.On >= last.On, i, "On", fmt.Sprintf("no less than %v, where the tier before it goes on", last.On), t.On)
			want(t.Above == 0 || t.Above >= last.Above, i, "Above", fmt.Sprintf("no less than %v, where the tier before it goes on", last.Above), t.Above)
			want((t.Above == 0) == (c.Tiers[0].Above == 0), i, "Above", "the same signal for all tiers, a delay (On) or a supplied one (Above)", t.Above)
		}
	}
	return all
}

// faults says what is wrong with t by itself.
func (t Tier) faults(want func(ok bool, field, wanted string, got any)) {
	want(token(t.Name), "Name", "a name of letters, digits and !#$%&'*+-.^_`|~", fmt.Sprintf("%q", t.Name))
	if t.Above == 0 {
		want(t.On > 0, "On", "the delay above which the tier goes on", t.On)
		want(t.Off >= 0 && (t.Off == 0 || t.Off < t.On), "Off", "a delay of 0 or more that is below On", t.Off)
		want(t.Below == 0, "Below", "none without Above", t.Below)
	} else {
		want(t.Above > 0 && !math.IsInf(t.Above, 1), "Above", "a number above 0", t.Above)
		want(t.Below >= 0 && t.Below < t.Above, "Below", "a number of 0 or more that is below Above", t.Below)
		want(t.On == 0 && t.Off == 0, "On", "none with Above: a tier goes by a delay or by a supplied signal", t.On)
	}
	spared := map[class.Criticality]bool{}
	for _, c := range t.Spare {
		want(c.Valid() && c != class.Unset, "Spare", "criticalities", uint8(c))
		spared[c] = true
	}
	want(len(spared) < class.Count, "Spare", "fewer than all criticalities, or the tier is of no use", t.Spare)
	want(t.Fallbacks >= 0, "Fallbacks", "0 or more", t.Fallbacks)
}

// token reports whether s is one by RFC 9110, 5.6.2.
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alnum && !slices.Contains([]byte("!#$%&'*+-.^_`|~"), c) {
			return false
		}
	}
	return s != ""
}

// Resolved is c, which should be valid, with every default filled in.
func (c Config) Resolved() Config {
	c.Dwell, c.Quiet = cmp.Or(c.Dwell, DefaultDwell), cmp.Or(c.Quiet, DefaultQuiet)
	if !c.NoExercise {
		c.Exercise = cmp.Or(c.Exercise, DefaultExercise)
	}
	c.Tiers = slices.Clone(c.Tiers)
	for i := range c.Tiers {
		t := &c.Tiers[i]
		t.Off = cmp.Or(t.Off, t.On/2)
		t.Below = cmp.Or(t.Below, t.Above/2)
		t.Spare = slices.Clone(t.Spare)
	}
	return c
}
