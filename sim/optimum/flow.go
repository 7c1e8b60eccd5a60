package optimum

import (
	"slices"
	"time"
)

// Flow is the sharper upper bound of the clairvoyant optimum: so many workers,
// who may leave a job and come back to it, of whom only one at a time can be at
// a job, and a share of a job is worth that share of its weight. It takes
// n times n times the number of intervals, and so is for some hundred jobs; see
// [Blocks] for more.
//
// Between two neighbouring arrivals or deadlines, a job can be given at most
// the whole interval, and all of them what the workers have (McNaughton 1959).
// What can be given together is a flow, and the amounts form a polymatroid, so
// that greed is optimal (Horn 1974; Edmonds 1970): take the jobs in order of
// their worth for their need, and push as much of each through the network as
// it lets pass beside those before it.
func Flow(in Instance) float64 {
	jobs := in.possible()
	slices.SortStableFunc(jobs, denser)
	n := newNetwork(jobs, in.Workers)
	worth := 0.0
	for i := range jobs {
		if jobs[i].Need == 0 {
			worth += jobs[i].Weight
			continue
		}
		worth += jobs[i].Weight * float64(n.push(i, jobs[i].Need)) / float64(jobs[i].Need)
	}
	return worth
}

// network is the flow of work from jobs into intervals of time.
type network struct {
	first, last []int             // of a job: its intervals, half open
	length      []time.Duration   // of an interval
	free        []time.Duration   // of an interval: what the workers have left
	given       [][]time.Duration // of a job: to it by its intervals, from first on

	from []step // how an interval was reached in the search that is running
}

// step is how the search came to an interval: from a job that moves work there
// out of another interval, or that wants it itself.
type step struct {
	job, out int
	seen     bool
}

func newNetwork(jobs []Job, workers int) *network {
	var times []time.Duration
	for i := range jobs {
		times = append(times, jobs[i].Arrival, jobs[i].Deadline)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	n := &network{}
	for i := 0; i+1 < len(times); i++ {
		n.length = append(n.length, times[i+1]-times[i])
		n.free = append(n.free, (times[i+1]-times[i])*time.Duration(workers))
	}
	for i := range jobs {
		first, _ := slices.BinarySearch(times, jobs[i].Arrival)
		last, _ := slices.BinarySearch(times, jobs[i].Deadline)
		n.first, n.last = append(n.first, first), append(n.last, last)
		n.given = append(n.given, make([]time.Duration, last-first))
	}
	n.from = make([]step, len(n.length))
	return n
}

// push gives a job as much of what it wants as can be had, moving the work of
// others to other intervals where that helps.
func (n *network) push(job int, want time.Duration) time.Duration {
	got := time.Duration(0)
	for got < want {
		end := n.search(job)
		if end < 0 {
			break
		}
		got += n.augment(job, end, want-got)
	}
	return got
}

// search finds the shortest way from a job to an interval with time to spare.
func (n *network) search(job int) int {
	clear(n.from)
	var line []int
	visit := func(j, out int) int {
		for i := n.first[j]; i < n.last[j]; i++ {
			if n.from[i].seen || n.given[j][i-n.first[j]] == n.length[i] {
				continue
			}
			n.from[i] = step{job: j, out: out, seen: true}
			if n.free[i] > 0 {
				return i
			}
			line = append(line, i)
		}
		return -1
	}
	if i := visit(job, -1); i >= 0 {
		return i
	}
	for k := 0; k < len(line); k++ {
		at := line[k]
		for j := range n.given {
			if at < n.first[j] || at >= n.last[j] || n.given[j][at-n.first[j]] == 0 {
				continue
			}
			if i := visit(j, at); i >= 0 {
				return i
			}
		}
	}
	return -1
}

// augment moves work along the way that ends in an interval.
func (n *network) augment(job, end int, most time.Duration) time.Duration {
	most = min(most, n.free[end])
	for i := end; ; {
		s := n.from[i]
		most = min(most, n.length[i]-n.given[s.job][i-n.first[s.job]])
		if s.out < 0 {
			break
		}
		most = min(most, n.given[s.job][s.out-n.first[s.job]])
		i = s.out
	}
	n.free[end] -= most
	for i := end; ; {
		s := n.from[i]
		n.given[s.job][i-n.first[s.job]] += most
		if s.out < 0 {
			return most
		}
		n.given[s.job][s.out-n.first[s.job]] -= most
		i = s.out
	}
}
