package survey

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
)

// quantiles are how many service times stand for those of a kind.
const quantiles = 20

// unsaid is how long a caller is taken to wait who does not say: as long as a
// proxy gives it that is not told.
const unsaid = 15 * time.Second

// Scenario writes the scenario that plays a trace. Service is how long serving
// takes for which the trace has no time at all; 0: it always has.
func (s *Survey) Scenario(w io.Writer, file string, service time.Duration) error {
	var b strings.Builder
	s.about(&b, file)
	fmt.Fprintf(&b, "name: %s\n", strconv.Quote("what "+file+" has recorded"))
	fmt.Fprintf(&b, "length: %s\n", s.End.Truncate(time.Second)+time.Second)
	fmt.Fprintf(&b, "parameters: {workers: %d}\n", s.workers())
	b.WriteString("stations:\n  service: {workers: = workers}\nsources:\n  recorded:\n")
	fmt.Fprintf(&b, "    arrivals: {trace: %s, service: kind}\n    kinds:\n", strconv.Quote(file))
	for i := range s.Kinds {
		s.kind(&b, &s.Kinds[i], service)
	}
	b.WriteString("policies:\n  bare: {stations: {service: {gate: none}}}\n  default: {stations: {service: {gate: {}}}}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// about is the comment at the top.
func (s *Survey) about(b *strings.Builder, file string) {
	say := func(text string, args ...any) {
		b.WriteString(strings.TrimRight("# "+fmt.Sprintf(text, args...), " ") + "\n")
	}
	say("%s: %s requests in %s, %s in its fullest second.", strings.Map(printable, file), format.Count(uint64(s.Requests)), s.Length.Round(time.Millisecond), format.Count(uint64(s.Peak)))
	var parts []string
	for lane := class.Count - 1; lane >= 0; lane-- {
		if n := s.Classes[lane]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", format.Count(uint64(n)), class.FromLane(lane)))
		}
	}
	if s.Unsaid > 0 {
		parts = append(parts, format.Count(uint64(s.Unsaid))+" of no class")
	}
	say("%s; %s tenants.", strings.Join(parts, ", "), format.Count(uint64(s.Tenants)))
	say("")
	say("%s of them were served with success, up to %s in a second, and took longer the more were", format.Share(float64(s.Served), float64(s.Requests)), format.Rate(s.Rate))
	say("served at once. So each takes as long here as its kind did in the calmest quarter of the")
	say("seconds, of which these are quantiles, and there are as many workers as that rate needs.")
	say("If the service was never busy it needs more: --set workers=N.")
}

// printable keeps a comment on its line.
func printable(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return '?'
}

// workers is how many it takes to answer as many requests a second as were, each
// in its time.
func (s *Survey) workers() int {
	work, n := 0.0, 0
	for i := range s.Kinds {
		for _, d := range s.Kinds[i].Times {
			work, n = work+d.Seconds(), n+1
		}
	}
	return max(1, int(math.Round(s.Rate*work/float64(max(n, 1)))))
}

// kind writes the requests of one kind.
func (s *Survey) kind(b *strings.Builder, k *Kind, service time.Duration) {
	name := k.Name
	if name == "" {
		name = s.unnamed()
	}
	fmt.Fprintf(b, "      %s:\n        service: %s\n", quoted(name), s.service(k, service))
	if k.NoDeadline > 0 {
		fmt.Fprintf(b, "        client: {patience: %s}   # of the %s that do not say\n", unsaid, format.Count(uint64(k.NoDeadline)))
	}
}

// unnamed is what the kind of records that name none is called, which are of any
// kind: none of the others is called that.
func (s *Survey) unnamed() string {
	name := "unnamed"
	for n := 2; slices.ContainsFunc(s.Kinds, func(k Kind) bool { return k.Name == name }); n++ {
		name = fmt.Sprintf("unnamed-%d", n)
	}
	return name
}

// service is how long those take of which the trace does not say it: as long as
// others of their kind, or else of any.
func (s *Survey) service(k *Kind, otherwise time.Duration) string {
	from := k
	if len(k.Times) == 0 {
		from = &Kind{}
		for i := range s.Kinds {
			from.Times = append(from.Times, s.Kinds[i].Times...)
		}
		slices.Sort(from.Times)
	}
	if len(from.Times) == 0 {
		return otherwise.String()
	}
	if len(from.Times) < quantiles {
		return empirical(from.Times)
	}
	times := make([]time.Duration, quantiles)
	for i := range times {
		times[i] = from.quantile((float64(i) + 0.5) / quantiles)
	}
	return empirical(times)
}

func empirical(times []time.Duration) string {
	all := make([]string, len(times))
	for i, d := range times {
		all[i] = short(d).String()
	}
	return "{empirical: [" + strings.Join(all, ", ") + "]}"
}

// short is a time of three figures.
func short(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

var word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// quoted is a name as a key of YAML.
func quoted(name string) string {
	if word.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}
