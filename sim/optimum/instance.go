package optimum

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Job is one request: it is worth its weight if it is finished within its
// window.
type Job struct {
	Arrival  time.Duration // 0 or more
	Deadline time.Duration // at this very time it is still in time
	Need     time.Duration // of one worker's time, 0 or more
	Weight   float64       // what it is worth, above 0
	Kind     int           // what a class-aware policy knows of it
}

// hopeless reports whether a job cannot be in time even if it is served alone
// and at once.
func (j *Job) hopeless() bool { return j.Need > j.Deadline-j.Arrival }

// Instance is what arrived and how many workers there were for it. A job that
// a worker has begun stays with that worker until its end.
type Instance struct {
	Workers int
	Jobs    []Job

	// Changes are when the workers become more or fewer, or slower, in order
	// of time. [Fluid], [SizeBlind] and [ClassAware] know of them; the others
	// want none.
	Changes []Change
}

// Change is how many workers there are from a time on: all together do as
// much in a second as Workers at their first speed, which need be no whole
// number.
type Change struct {
	At      time.Duration
	Workers float64 // 0 or more
}

// Validate reports every fault at once.
func (in Instance) Validate() error {
	var faults []error
	if in.Workers < 1 {
		faults = append(faults, fmt.Errorf("optimum: Workers: want 1 or more, have %d", in.Workers))
	}
	for i, c := range in.Changes {
		if c.At < 0 || !(c.Workers >= 0) || c.Workers > 1e9 || i > 0 && c.At < in.Changes[i-1].At {
			faults = append(faults, fmt.Errorf("optimum: Changes[%d]: want times in order and 0 to 1e9 workers, have %+v", i, c))
		}
	}
	for i, j := range in.Jobs {
		if j.Arrival < 0 || j.Need < 0 || j.Deadline < 0 || !(j.Weight > 0) {
			faults = append(faults, fmt.Errorf("optimum: Jobs[%d]: want times of 0 or more and a weight above 0, have %+v", i, j))
		}
	}
	return errors.Join(faults...)
}

// Worth is the sum of all weights: an upper bound of everything.
func (in Instance) Worth() float64 {
	sum := 0.0
	for i := range in.Jobs {
		sum += in.Jobs[i].Weight
	}
	return sum
}

// possible are the jobs that are not hopeless, by arrival, then by deadline.
func (in Instance) possible() []Job {
	jobs := make([]Job, 0, len(in.Jobs))
	for i := range in.Jobs {
		if !in.Jobs[i].hopeless() {
			jobs = append(jobs, in.Jobs[i])
		}
	}
	slices.SortStableFunc(jobs, byWindow)
	return jobs
}

func byWindow(a, b Job) int {
	return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.Deadline, b.Deadline))
}

// denser orders by what a job is worth for its need, the best first. A job
// without a need is worth more than any other.
func denser(a, b Job) int {
	return cmp.Compare(b.Weight*float64(a.Need), a.Weight*float64(b.Need))
}
