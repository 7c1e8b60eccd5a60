package optimum

import "time"

// earliest is a worker that serves the earliest deadline first and leaves a
// job for a more urgent one, or when its deadline has passed.
type earliest struct {
	heap []int           // indices of jobs, by deadline
	left []time.Duration // of each job
}

// work is how much of the taken jobs' need can be met within their windows. The
// jobs are in order of arrival, and their windows are in the workers' time.
func (e *earliest) work(jobs []Job, taken []bool) time.Duration {
	e.heap = e.heap[:0]
	if cap(e.left) < len(jobs) {
		e.left = make([]time.Duration, len(jobs))
	}
	e.left = e.left[:len(jobs)]
	now, done, next := time.Duration(0), time.Duration(0), 0
	for {
		for next < len(jobs) && (!taken[next] || jobs[next].Arrival <= now) {
			if taken[next] {
				e.left[next] = jobs[next].Need
				e.push(jobs, next)
			}
			next++
		}
		until := time.Duration(1<<63 - 1)
		if next < len(jobs) {
			until = jobs[next].Arrival
		}
		if len(e.heap) == 0 {
			if next == len(jobs) {
				return done
			}
			now = until
			continue
		}
		first := e.heap[0]
		serve := min(e.left[first], until-now, jobs[first].Deadline-now)
		if serve <= 0 {
			e.pop(jobs)
			continue
		}
		now, done = now+serve, done+serve
		if e.left[first] -= serve; e.left[first] == 0 {
			e.pop(jobs)
		}
	}
}

func (e *earliest) push(jobs []Job, job int) {
	e.heap = append(e.heap, job)
	for i := len(e.heap) - 1; i > 0; {
		p := (i - 1) / 2
		if jobs[e.heap[p]].Deadline <= jobs[e.heap[i]].Deadline {
			return
		}
		e.heap[p], e.heap[i] = e.heap[i], e.heap[p]
		i = p
	}
}

func (e *earliest) pop(jobs []Job) {
	last := len(e.heap) - 1
	e.heap[0] = e.heap[last]
	e.heap = e.heap[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if jobs[e.heap[c]].Deadline < jobs[e.heap[least]].Deadline {
				least = c
			}
		}
		if least == i {
			return
		}
		e.heap[i], e.heap[least] = e.heap[least], e.heap[i]
		i = least
	}
}
