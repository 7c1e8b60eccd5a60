package wire

// readAttempt returns the number of the attempt, from 1 to MaxAttempt, or 0
// where nobody says. A claim can only lower its caller, since retries are shed
// first; it can neither raise a budget nor skip one, which is kept by whoever
// spends it.
//
// Of a gRPC request the higher number counts: its library may have made further
// attempts of what its caller has numbered.
func readAttempt(h map[string][]string, grpc bool) int {
	n := 0
	if v := h[AttemptHeader]; len(v) > 0 {
		n = max(highest(v, 1), 0)
	}
	if grpc {
		// gRFC A6: the tries before this one, absent on the first.
		if v := h[grpcAttemptsHeader]; len(v) > 0 {
			n = max(n, highest(v, 0)+1)
		}
	}
	return min(n, MaxAttempt)
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
