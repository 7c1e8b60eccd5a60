package live

// possible is how many requests of each class could have been answered within
// some seconds in which so many are due, each within a second of when it was
// due: the most of the first class, then the most of the second that this
// leaves room for, and so on. Offered is by class and second, capacity by
// second.
//
// What is due in a second may be served in it and in the next: a little more
// than a deadline of one second allows, so that nobody can do better. Of the
// first k classes together the most is served when nobody waits while there is
// capacity, oldest first; sets that can be served are a matroid, so that the
// most of k classes contains the most of k-1, and their difference is what is
// possible of the kth.
func possible(offered [][]float64, capacity []float64) []float64 {
	out := make([]float64, len(offered))
	sum := make([]float64, len(capacity))
	before := 0.0
	for k, class := range offered {
		for t, n := range class {
			sum[t] += n
		}
		served := servable(sum, capacity)
		out[k], before = served-before, served
	}
	return out
}

// servable is how many of those due in each second can be served in it or in
// the next, if that is not after the last.
func servable(due, capacity []float64) float64 {
	served, waiting := 0.0, 0.0 // of the second before
	for t, room := range capacity {
		old := min(waiting, room)
		now := min(due[t], room-old)
		served += old + now
		waiting = due[t] - now
	}
	return served
}
