package client

import (
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// Config is how calls to one destination are made. The zero value makes up to
// three attempts of what is repeatable, without a pause, within a budget of a
// tenth of the requests and one a second; it has no throttle, no breaker and no
// bound of what is in flight.
type Config struct {
	// Retry decides whether there is another attempt.
	Retry retry.Policy
	// Budget bounds the retries of all calls together. Nil: a tenth of the
	// requests, and one a second.
	Budget *retry.BudgetConfig
	// Hedge has calls that say so ([Op].Hedge) make another attempt beside one that
	// takes long, within the same budget. Nil: none do.
	Hedge *retry.HedgeConfig
	// Throttle holds back what would be refused. Nil: there is none.
	Throttle *throttle.Config
	// Breaker holds back what would fail. Nil: there is none.
	Breaker *breaker.Config
	// Rate bounds the attempts that are sent, retries included. Nil: there is no
	// bound.
	Rate *throttle.RateConfig
	// RateWait is how long an attempt waits for its turn at most where there is a
	// Rate, in order of arrival, and never in vain: what would have its turn
	// later, or too late for its caller, is held back at once. Zero: none waits.
	RateWait time.Duration
	// MaxInFlight bounds the attempts in flight together. Zero: there is no bound.
	MaxInFlight int
	// MaxOf bounds those of a criticality, so that a flood of low work leaves
	// places for what matters more. Where it has no entry, or 0, only MaxInFlight
	// counts.
	MaxOf map[class.Criticality]int
	// Timeout is how long one attempt may take, which is never more than what is
	// left of the caller's time. Zero: all that is left.
	Timeout time.Duration
	// Margin is set aside of what is left, for the way back. Zero: nothing is.
	Margin time.Duration
	// Classify says what the error of an attempt means. Nil: [Classify].
	Classify func(error) Answer
}

// Validate reports every fault at once and changes nothing.
func (c Config) Validate() error {
	var faults []error
	at := func(field string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("client: Config.%s: %w", field, err))
		}
	}
	want := func(ok bool, field, wanted string, got any) {
		if !ok {
			at(field, fmt.Errorf("want %s, have %v", wanted, got))
		}
	}
	at("Retry", c.Retry.Validate())
	if c.Budget != nil {
		at("Budget", c.Budget.Validate())
	}
	if c.Hedge != nil {
		at("Hedge", c.Hedge.Validate())
	}
	if c.Throttle != nil {
		at("Throttle", c.Throttle.Validate())
	}
	if c.Breaker != nil {
		at("Breaker", c.Breaker.Validate())
	}
	if c.Rate != nil {
		at("Rate", c.Rate.Validate())
	}
	want(c.RateWait >= 0, "RateWait", "a time of 0 or more", c.RateWait)
	want(c.RateWait == 0 || c.Rate != nil, "RateWait", "none, or a Rate to wait for", c.RateWait)
	want(c.MaxInFlight >= 0, "MaxInFlight", "0 or more", c.MaxInFlight)
	for _, criticality := range class.All() {
		want(c.MaxOf[criticality] >= 0, "MaxOf", "0 or more", c.MaxOf)
	}
	for criticality := range c.MaxOf {
		want(criticality.Valid() && criticality != class.Unset, "MaxOf", "criticalities", criticality)
	}
	want(c.Timeout >= 0, "Timeout", "a time of 0 or more", c.Timeout)
	want(c.Margin >= 0, "Margin", "a time of 0 or more", c.Margin)
	return errors.Join(faults...)
}
