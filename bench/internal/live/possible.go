package live

// possible is how many requests of each class could have been answered from
// the second second on, of those that are due in some seconds, each within a
// second of when it was due: the most of the first class, then the most of the
// second that this leaves room for, and so on. Offered is by class and second,
// capacity by second.
//
// What is due in a second may be served in it and in the next: a little more
// than a deadline of one second allows, so that nobody can do better. Of the
// first k classes together the most is served when nobody waits while there is
// capacity, oldest first; sets that can be served are a matroid, so that the
// most of k classes contains the most of k-1, and their difference is what is
// possible of the kth.
func possible(offered [][]float64, capacity []float64) []float64 {
	out := make([]float64, len(offered))
	due := make([]float64, len(capacity))
	before := 0.0
	for k, class := range offered {
		for t, n := range class {
			due[t] += n
		}
		served := sum(servable(due, capacity)[settling:])
		out[k], before = served-before, served
	}
	return out
}

// settling is for how many seconds of a phase goodput is not counted: answers
// begin to come when the phase has been on for as long as they take, and go on
// for as long after it, so that whoever answers later would seem to answer less.
const settling = 1

// servable is how many can be served in each second, of those due in it and of
// those due in the second before.
func servable(due, capacity []float64) []float64 {
	served := make([]float64, len(due))
	waiting := 0.0 // of the second before
	for t, room := range capacity {
		old := min(waiting, room)
		now := min(due[t], room-old)
		served[t] = old + now
		waiting = due[t] - now
	}
	return served
}

func sum(v []float64) float64 {
	all := 0.0
	for _, x := range v {
		all += x
	}
	return all
}
