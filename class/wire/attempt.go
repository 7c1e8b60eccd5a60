package wire

// readAttempt returns the number of the attempt, from 1 to MaxAttempt, or 0
// where nobody says. A claim can only lower its caller, since retries are shed
// first; it can neither raise a budget nor skip one, which is kept by whoever
// spends it.
func readAttempt(h map[string][]string, grpc bool) int {
	if v := h[AttemptHeader]; len(v) > 0 {
		if n := highest(v, 1); n > 0 {
			return min(n, MaxAttempt)
		}
	}
	if grpc {
		// gRFC A6: the tries before this one, absent on the first.
		if n := highest(h[grpcAttemptsHeader], 0); n >= 0 {
			return min(n+1, MaxAttempt)
		}
	}
	return 0
}

// highest returns the highest of the values that can be read and are no less
// than least, no more than MaxAttempt, or -1.
func highest(values []string, least int64) int {
	most := int64(-1)
	for _, v := range values {
		if n, _, ok := parseInt(trim(v)); ok && n >= least {
			most = max(most, min(n, MaxAttempt))
		}
	}
	return int(most)
}
