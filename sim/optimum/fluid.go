package optimum

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// groups is how finely [Fluid] tells densities apart: so many to an octave.
const groups = 8

// Fluid is an upper bound of the clairvoyant optimum: one worker as fast as all
// together, who may leave a job and come back to it, and a share of a job is
// worth that share of its weight.
//
// What such a worker can do of each job forms a polymatroid, so that greed is
// optimal (Edmonds 1970): take the jobs in order of their worth for their need,
// and of each as much as is possible beside those before it. What is possible
// together is what earliest deadline first does of them, for it wastes no
// moment in which there is work in time (Horn 1974; Shih, Liu and Chung 1989).
// Jobs whose density differs by less than a twelfth are taken together at the
// density of the best of them. It takes n log n for each group.
func Fluid(in Instance) float64 {
	jobs := in.possible()
	worth := 0.0
	kept := jobs[:0]
	for _, j := range jobs {
		if j.Need == 0 {
			worth += j.Weight
			continue
		}
		kept = append(kept, j)
	}
	jobs = in.workersTime(kept)
	ranks := make([]int, len(jobs))
	for i := range jobs {
		ranks[i] = rankOf(&jobs[i])
	}
	distinct := slices.Clone(ranks)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	var (
		before time.Duration
		taken  = make([]bool, len(jobs))
		line   earliest
	)
	for i := len(distinct) - 1; i >= 0; i-- {
		best := 0.0
		for j := range jobs {
			if ranks[j] == distinct[i] {
				taken[j] = true
				best = max(best, jobs[j].Weight/float64(jobs[j].Need))
			}
		}
		done := line.work(jobs, taken)
		worth += best * float64(done-before)
		before = done
	}
	return min(worth, in.Worth())
}

// rankOf is the group of a job's density.
func rankOf(j *Job) int {
	return int(math.Floor(math.Log2(j.Weight/float64(j.Need)) * groups))
}

// workersTime puts windows into the time of all workers together: so many
// nanoseconds of it pass in one as there are workers. In it there is one worker
// of constant speed.
func (in Instance) workersTime(jobs []Job) []Job {
	var ends []*time.Duration
	for i := range jobs {
		ends = append(ends, &jobs[i].Arrival, &jobs[i].Deadline)
	}
	slices.SortFunc(ends, func(a, b *time.Duration) int { return cmp.Compare(*a, *b) })
	var (
		speed   = float64(in.Workers)
		from    time.Duration // the last change
		elapsed time.Duration // of the workers' time, up to it
		next    int
	)
	for _, end := range ends {
		for next < len(in.Changes) && in.Changes[next].At <= *end {
			c := in.Changes[next]
			elapsed += time.Duration(speed * float64(c.At-from))
			from, speed = c.At, c.Workers
			next++
		}
		*end = elapsed + time.Duration(speed*float64(*end-from))
	}
	return jobs
}
