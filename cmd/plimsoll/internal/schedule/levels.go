package schedule

import (
	"fmt"
	"time"
)

// levels is the rate of a trace: how many came in each of equal times, which
// are a second, or longer for a trace that has more than maxLevels of them.
type levels struct {
	*replay
	begin  time.Duration // of the first of them, as recorded
	width  time.Duration
	counts []int
}

const maxLevels = 4096

// count counts one that came at a time. The few that came before the first that
// was written count with it.
func (l *levels) count(at time.Duration) {
	at = max(at-l.begin, 0)
	for at >= maxLevels*l.width {
		half := (len(l.counts) + 1) / 2
		for i := range half {
			sum := l.counts[2*i]
			if 2*i+1 < len(l.counts) {
				sum += l.counts[2*i+1]
			}
			l.counts[i] = sum
		}
		l.counts = l.counts[:half]
		l.width *= 2
	}
	for i := int(at / l.width); i >= len(l.counts); {
		l.counts = append(l.counts, 0)
	}
	l.counts[at/l.width]++
}

// recorded is when a time of the run was, after begin.
func (l *levels) recorded(t time.Duration) time.Duration {
	return time.Duration(float64(t)*l.speed) + l.first - l.begin
}

// span is how long the level of a number lasts, within what was recorded.
func (l *levels) span(i int) time.Duration {
	return max(min(l.width, l.last-l.begin-time.Duration(i)*l.width), 1)
}

func (l *levels) rate(t time.Duration) float64 {
	i := int(max(l.recorded(t), 0) / l.width)
	if i >= len(l.counts) {
		return 0
	}
	return float64(l.counts[i]) / l.width.Seconds() * l.speed
}

func (l *levels) total(t time.Duration) float64 {
	if t >= l.due(l.last) {
		return float64(l.n)
	}
	at, sum := max(l.recorded(t), 0), 0
	for i, n := range l.counts {
		rest := at - time.Duration(i)*l.width
		if rest < l.span(i) {
			return float64(sum) + float64(n)*float64(max(rest, 0))/float64(l.span(i))
		}
		sum += n
	}
	return float64(l.n)
}

// peak is none: what was too much for a service is not in a trace.
func (*levels) peak(time.Duration) (time.Duration, bool) { return 0, false }

func (l *levels) words(length time.Duration) string {
	speed := ""
	if l.speed != 1 {
		speed = fmt.Sprintf(", at %g times its speed", l.speed)
	}
	return fmt.Sprintf("%d requests of %s within %v%s", l.n, l.name, length.Round(time.Millisecond), speed)
}
