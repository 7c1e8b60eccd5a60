package simulate

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/page"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Output is in which form the commands show what came of a scenario.
type Output struct {
	JSON bool   `name:"json" help:"Print the figures, and what happened over time, as JSON."`
	CSV  bool   `name:"csv" help:"Print what happened over time as CSV."`
	HTML string `name:"html" placeholder:"FILE" help:"Write a page with plots into this file as well; it needs nothing else."`
}

func (o *Output) faults() strict.Faults {
	if o.JSON && o.CSV {
		return strict.Faults{{Key: "--csv", Want: "want either --csv or --json"}}
	}
	return nil
}

// result is all that came of a command.
type result struct {
	setup    setup
	command  string // the line that makes it again
	policies []string
	runs     []run // by policy, then by seed
	verdicts []verdict
}

// of are the runs of one policy.
func (r *result) of(policy int) []run {
	n := len(r.setup.seeds)
	return r.runs[policy*n : (policy+1)*n]
}

// show prints a result in the form that was asked for; text is that for
// people.
func (o *Output) show(w io.Writer, r *result, text func(*result, io.Writer)) error {
	var b bytes.Buffer
	var err error
	switch {
	case o.JSON:
		err = r.writeJSON(&b)
	case o.CSV:
		err = r.writeCSV(&b)
	default:
		text(r, &b)
		r.writeVerdicts(&b)
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	if err == nil && o.HTML != "" {
		err = o.page(r)
	}
	if err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	return nil
}

// page writes the page. It shows the first seed of every policy.
func (o *Output) page(r *result) error {
	s := &r.setup
	d := page.Document{Name: s.file.Name, About: s.file.About, Source: s.file.Source, Command: r.command}
	for _, p := range s.file.Parameters {
		if v, ok := s.set[p.Name]; ok {
			p.Value = v
		}
		d.Parameters = append(d.Parameters, page.Parameter{Name: p.Name, Value: strconv.FormatFloat(p.Value, 'g', -1, 64)})
	}
	for i, policy := range r.policies {
		first := r.of(i)[0]
		capacity := 0.0
		if len(first.plan.Capacity) == 1 {
			capacity = first.plan.Capacity[0]
		}
		d.Runs = append(d.Runs, page.Run{Policy: policy, Seed: first.seed, Capacity: capacity, Report: first.report})
	}
	for _, v := range r.verdicts {
		d.Verdicts = append(d.Verdicts, page.Verdict{Measure: v.Figure, Policy: v.Policy, Want: v.Want, Got: v.Got, OK: v.OK})
	}
	var b bytes.Buffer
	if err := page.Write(&b, d); err != nil {
		return err
	}
	return os.WriteFile(o.HTML, b.Bytes(), 0o644)
}

// commandLine is the line that makes a result again.
func (in *Input) commandLine(name string, flags ...string) string {
	words := []string{"plimsoll sim " + name, in.File}
	words = append(words, flags...)
	if in.Seed != 1 {
		words = append(words, "--seed "+strconv.FormatUint(in.Seed, 10))
	}
	if in.Seeds != "" {
		words = append(words, "--seeds "+in.Seeds)
	}
	for _, s := range in.Set {
		words = append(words, "--set "+s)
	}
	return strings.Join(words, " ")
}
