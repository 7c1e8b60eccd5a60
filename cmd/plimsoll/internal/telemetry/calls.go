package telemetry

// What is known of the calls to an upstream.
var (
	upstreamRequests = define(counter, "upstream_requests", "{request}", "Requests that were to be sent to an upstream with retries, a breaker or a throttle.", "upstream")
	upstreamAttempts = define(counter, "upstream_attempts", "{request}", "Attempts that were sent for them: over the requests, the amplification.", "upstream")
	upstreamEnded    = define(counter, "upstream_ended", "{request}", "Requests of these without success, by why there was no further attempt, or none at all: out_of_budget is what the budget of retries refused, breaker_open and throttled what was held back.", "upstream", "reason")
	retryBalance     = define(gauge, "upstream_retry_balance", "{request}", "Retries that the budget has left.", "upstream")
	breakerState     = define(gauge, "upstream_breaker_state", "{state}", "0 while the breaker is closed, 1 half-open, 2 open.", "upstream", "class")
	breakerAge       = define(gauge, "upstream_breaker_age", "s", "How long it has been in that state.", "upstream", "class")
	breakerOpened    = define(counter, "upstream_breaker_opened", "{event}", "How often it has opened.", "upstream", "class")
)

// breakerStates are the numbers of the states.
var breakerStates = map[string]float64{"closed": 0, "half_open": 1, "open": 2}

// callsOf sends what is known of them.
func callsOf(to sink, upstream string, c *Calls) {
	to.number(upstreamRequests, float64(c.Requests), upstream)
	to.number(upstreamAttempts, float64(c.Attempts), upstream)
	for why, n := range c.Ended {
		to.number(upstreamEnded, float64(n), upstream, why)
	}
	if c.Balance != nil {
		to.number(retryBalance, *c.Balance, upstream)
	}
	for class, b := range c.Breakers {
		to.number(breakerState, breakerStates[b.State], upstream, class)
		to.number(breakerAge, b.Age, upstream, class)
		to.number(breakerOpened, float64(b.Opened), upstream, class)
	}
}
