package sim

// Sharing has the jobs of a station progress together, each at an equal share
// of its speed, in place of one worker each: n of them at
//
//	S(n) = min(n, Cores) / (1 + Contention (n-1) + Coherence n (n-1))
//
// times what a job has alone, so that each goes at S(n)/n. With both
// coefficients 0 this is processor sharing; with them it is Gunther's universal
// scalability law ("Guerrilla Capacity Planning", 2007, chapter 4): Contention
// is the share of work that only one may do at a time, Coherence what every two
// cost each other. With a Coherence, S falls beyond n = sqrt((1 - Contention) /
// Coherence): more at once get less done.
//
// The Workers of the station bound n; who is beyond that waits in order.
type Sharing struct {
	// Cores is how many jobs progress at full speed. Zero: one where both
	// coefficients are 0, otherwise as many as there are.
	Cores      float64
	Contention float64 // 0 to 1
	Coherence  float64 // 0 to 1
}

func (s *Sharing) validate(where string, f *faults) {
	f.want(s.Cores >= 0 && s.Cores <= 1e6, where+".Cores", "want 0 to 1e6, have %v", s.Cores)
	f.want(s.Contention >= 0 && s.Contention <= 1, where+".Contention", "want a share from 0 to 1, have %v", s.Contention)
	f.want(s.Coherence >= 0 && s.Coherence <= 1, where+".Coherence", "want a share from 0 to 1, have %v", s.Coherence)
}

// Peak is how many jobs, up to a bound (0: a few thousand), get the most done
// together, and how much that is.
func (s *Sharing) Peak(bound int) (jobs int, speed float64) {
	if bound == 0 {
		bound = 1 << 12
	}
	for n := 1; n <= bound; n++ {
		if v := s.Speed(n); v > speed {
			jobs, speed = n, v
		}
	}
	return jobs, speed
}

// Speed is S(n): how much n jobs get done together, of what one does alone.
func (s *Sharing) Speed(n int) float64 {
	if n <= 0 {
		return 0
	}
	jobs, cores := float64(n), s.Cores
	switch {
	case cores > 0:
	case s.Contention == 0 && s.Coherence == 0:
		cores = 1
	default:
		cores = jobs
	}
	others := float64(s.Contention * (jobs - 1))
	pairs := float64(s.Coherence * float64(jobs*(jobs-1)))
	return min(jobs, cores) / (1 + others + pairs)
}
