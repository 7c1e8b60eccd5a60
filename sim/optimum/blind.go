package optimum

import "time"

// SizeBlind bounds what a policy can be worth that does not know how long a job
// will take, and does not interrupt it, in the mean over all needs.
//
// Whether a job is begun does not depend then on its need, so that the mean
// work begun is the mean number begun times the mean need (Wald). What is begun
// by a deadline occupies the workers until then, and each worker for as long
// after it as the job takes that it is at: in the mean, half of the mean square
// of the needs over their mean. This is [Fluid] with the mean need for everybody
// and windows that are longer by that.
//
// A policy that kills what it has begun is not bound by it.
func SizeBlind(in Instance) float64 {
	return in.blind(func(*Job) int { return 0 })
}

// ClassAware is [SizeBlind] of a policy that knows the mean need of each kind.
func ClassAware(in Instance) float64 {
	return in.blind(func(j *Job) int { return j.Kind })
}

func (in Instance) blind(known func(*Job) int) float64 {
	type moments struct{ n, sum, squares float64 }
	kinds := map[int]*moments{}
	for i := range in.Jobs {
		k := known(&in.Jobs[i])
		m := kinds[k]
		if m == nil {
			m = &moments{}
			kinds[k] = m
		}
		need := float64(in.Jobs[i].Need)
		m.n++
		m.sum += need
		m.squares += need * need
	}
	jobs := make([]Job, len(in.Jobs))
	for i := range in.Jobs {
		j := in.Jobs[i]
		m := kinds[known(&j)]
		j.Need = time.Duration(m.sum / m.n)
		if m.sum > 0 {
			j.Deadline += max(time.Duration(m.squares/m.sum/2), j.Need)
		}
		jobs[i] = j
	}
	return Fluid(Instance{Workers: in.Workers, Jobs: jobs, Changes: in.Changes})
}
