package report

import (
	"bufio"
	"cmp"
	"io"
	"iter"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

// HLog writes a log of histograms, as HistogramLogAnalyzer and its kin read it:
// for each step of a run the latency of all requests that were due within it,
// without a tag, and that of each class, tagged with its name. Values are
// nanoseconds. Began is when the run did.
func HLog(w io.Writer, began time.Time, intervals iter.Seq[tally.Interval]) error {
	out := bufio.NewWriter(w)
	log := hdr.NewHistogramLogWriter(out)
	start := began.UnixMilli() / 1000 * 1000 // the log says whole seconds of it
	log.SetBaseTime(start)
	err := cmp.Or(
		log.OutputComment("[Latency from when requests were due, in nanoseconds]"),
		log.OutputLogFormatVersion(), log.OutputBaseTime(start), log.OutputStartTime(start), log.OutputLegend())
	for v := range intervals {
		if err != nil {
			return err
		}
		v.Latency.SetStartTimeMs(began.Add(v.From).UnixMilli())
		v.Latency.SetEndTimeMs(began.Add(v.To).UnixMilli())
		if v.Class != result.AllClasses {
			v.Latency.SetTag(tag(v.Class))
		}
		err = log.OutputIntervalPackedHistogram(v.Latency)
	}
	return cmp.Or(err, out.Flush())
}

// tag is a class as the log can hold it.
func tag(class string) string {
	return strings.Map(func(c rune) rune {
		if c == ',' || c <= ' ' {
			return '_'
		}
		return c
	}, class)
}
