package tally

import "time"

// How many rows the series of a run has at most while it is sent, and again
// afterwards while its last requests end. Each holds a histogram for each class,
// of some kilobytes where requests are many: with many classes there are fewer.
const (
	maxRows   = 1800
	minRows   = 600
	maxSpread = 7200 // rows of all classes
)

// maxParts is how many parts a run is divided into for estimates of how sure
// its figures are (Schmeiser, Batch size effects in the analysis of simulation
// output, 1982: more than 30 batches gain next to nothing).
const maxParts = 30

// steps are what a row of the series may cover.
var steps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
}

// grid says how a run is divided: rows of the series, quanta by which recovery
// is told, parts.
type grid struct {
	step    time.Duration // of a row
	quantum time.Duration
	window  int // quanta that recovery looks at together
	rows    int // that requests may be due in
	each    int // rows of a part
}

// gridOf is that of a run of a planned length with so many classes: seconds, and
// coarser where it is longer than half an hour, or longer than ten minutes with
// many classes.
func gridOf(length time.Duration, classes int) grid {
	length = max(length, 1)
	most := min(max(maxSpread/max(classes, 1), minRows), maxRows)
	g := grid{step: steps[len(steps)-1]}
	for _, s := range steps {
		if ceil(length, s) <= most {
			g.step = s
			break
		}
	}
	g.rows = ceil(length, g.step)
	g.quantum = min(g.step/10, time.Second)
	g.window = int(time.Second / g.quantum)
	g.each = max(1, ceil(time.Duration(g.rows), maxParts))
	return g
}

func ceil(d, by time.Duration) int { return int((d + by - 1) / by) }

// due is the row of a request by when it was due.
func (g grid) due(at time.Duration) int { return min(max(int(at/g.step), 0), g.rows-1) }

// done is the row of something that happened, also after the last was due.
func (g grid) done(at time.Duration) int {
	return min(max(int(at/g.step), 0), g.rows+maxRows-1)
}

// quanta is how many there are, and of is that of a request.
func (g grid) quanta() int { return g.rows * int(g.step/g.quantum) }

func (g grid) of(at time.Duration) int { return min(max(int(at/g.quantum), 0), g.quanta()-1) }
