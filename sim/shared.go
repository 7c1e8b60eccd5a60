package sim

import (
	"math/bits"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// shared is the jobs that progress together at a station with [Sharing]. All
// have attained as much since any time, so that a job is done when what any job
// has attained reaches what it was when the job came plus what the job needs:
// a heap of these marks is all that has to be kept (attained service as virtual
// time: Kleinrock, "Queueing Systems" 2, 1976, section 4.4), and an event costs
// the logarithm of their number.
type shared struct {
	of       *Sharing
	jobs     []job
	seq      uint64
	attained attained
	at       time.Duration // in the station's working time, when it was that
	rate     uint64        // attained per nanosecond, from then on
	due      time.Duration // when the first job will be done
}

// job is done when so much is attained; of two at once, the first to come is.
type job struct {
	done attained
	seq  uint64
	c    *call
}

// attained is service in 2^-40 nanoseconds: whole numbers, which are added
// without an error, so that the order of events is the same on every platform.
type attained struct{ hi, lo uint64 }

const fraction = 40 // bits of attained

func (a attained) before(b attained) bool {
	return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo
}

// after is a after so long at a rate.
func (a attained) after(d time.Duration, rate uint64) attained {
	hi, lo := bits.Mul64(uint64(d), rate)
	lo, carry := bits.Add64(a.lo, lo, 0)
	hi, _ = bits.Add64(a.hi, hi, carry)
	return attained{hi, lo}
}

// until is after how many nanoseconds at a rate a is b, rounded up.
func (a attained) until(b attained, rate uint64) time.Duration {
	if b.before(a) {
		return 0
	}
	lo, borrow := bits.Sub64(b.lo, a.lo, 0)
	hi, _ := bits.Sub64(b.hi, a.hi, borrow)
	if hi >= rate {
		return longest
	}
	d, rest := bits.Div64(hi, lo, rate)
	if rest > 0 {
		d++
	}
	return time.Duration(min(d, uint64(longest)))
}

// clock is the station's working time: it stands while the station is stalled.
func (st *station) clock(now time.Duration) time.Duration {
	return max(now, st.stalled) - st.paused
}

// settleShared brings what is attained up to date; before anything changes that
// the rate depends on.
func (st *station) settleShared(now time.Duration) {
	s := &st.shared
	if s.of == nil {
		return
	}
	at := st.clock(now)
	s.attained = s.attained.after(at-s.at, s.rate)
	s.at = at
}

// planShared works out the rate and when the first job will be done; after
// anything has changed.
func (st *station) planShared() {
	s := &st.shared
	if s.of == nil {
		return
	}
	s.rate, s.due = 0, core.Never
	if n := len(s.jobs); n > 0 {
		rate := s.of.Speed(n) / float64(n) / st.factor
		s.rate = uint64(min(max(float64(rate*(1<<fraction)), 1), 1<<60))
		s.due = s.at + s.attained.until(s.jobs[0].done, s.rate) + st.paused
	}
	st.wake()
}

// join begins a job that takes so long alone.
func (st *station) join(now time.Duration, c *call, takes time.Duration) {
	st.settleShared(now)
	s := &st.shared
	s.seq++
	s.push(job{s.attained.after(takes, 1<<fraction), s.seq, c})
	st.planShared()
}

// leave ends the job that is due.
func (st *station) leave(now time.Duration) *call {
	st.settleShared(now)
	c := st.shared.pop()
	st.planShared()
	return c
}

// cutShared ends all jobs where they are.
func (st *station) cutShared(now time.Duration) {
	st.settleShared(now)
	s := &st.shared
	for i := range s.jobs {
		j := &s.jobs[i]
		j.c.worked = max(j.c.worked-s.attained.until(j.done, 1<<fraction), 0)
	}
	s.jobs = nil
	st.planShared()
}

func (j *job) before(o *job) bool {
	return j.done.before(o.done) || j.done == o.done && j.seq < o.seq
}

func (s *shared) push(j job) {
	h := append(s.jobs, j)
	i := len(h) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !j.before(&h[p]) {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = j
	s.jobs = h
}

func (s *shared) pop() *call {
	h := s.jobs
	top, j := h[0].c, h[len(h)-1]
	h[len(h)-1] = job{}
	h = h[:len(h)-1]
	s.jobs = h
	for i := 0; len(h) > 0; {
		least := 2*i + 1
		if least+1 < len(h) && h[least+1].before(&h[least]) {
			least++
		}
		if least >= len(h) || !h[least].before(&j) {
			h[i] = j
			break
		}
		h[i] = h[least]
		i = least
	}
	return top
}
