package optimum

import (
	"errors"
	"math"
	"time"
)

// ErrAgreeable says that an instance is none for [Agreeable].
var ErrAgreeable = errors.New("optimum: want one worker, whole weights, and windows of which the one that opens first closes first")

// Agreeable is the exact optimum of one worker where whoever comes first must
// be finished first: every service with one kind of deadline is such a one.
// Oldest first is then never worse than any other order, and interruption
// gains nothing. Weights must be whole numbers. It takes n times the optimum.
//
// It is the recurrence of Kise, Ibaraki and Mine ("A solvable case of the
// one-machine scheduling problem with ready and due times", 1978), by weight:
// of every sum of weights, the earliest time at which jobs of that sum can be
// finished.
func Agreeable(in Instance) (float64, error) {
	jobs := in.possible()
	if in.Workers != 1 || !agreeable(jobs) {
		return 0, ErrAgreeable
	}
	const never = time.Duration(math.MaxInt64)
	earliest := []time.Duration{0}
	for _, j := range jobs {
		w := int(j.Weight)
		top := len(earliest) - 1
		for range w {
			earliest = append(earliest, never)
		}
		for sum := top; sum >= 0; sum-- {
			if earliest[sum] == never {
				continue
			}
			end := max(earliest[sum], j.Arrival) + j.Need
			if end <= j.Deadline && end < earliest[sum+w] {
				earliest[sum+w] = end
			}
		}
		for earliest[len(earliest)-1] == never {
			earliest = earliest[:len(earliest)-1]
		}
	}
	return float64(len(earliest) - 1), nil
}

func agreeable(jobs []Job) bool {
	for i, j := range jobs {
		if j.Weight != math.Trunc(j.Weight) || i > 0 && j.Deadline < jobs[i-1].Deadline {
			return false
		}
	}
	return true
}
