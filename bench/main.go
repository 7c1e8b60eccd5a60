// Command bench measures Plimsoll side by side with its peers, in one run, and
// prints one table with ratios.
//
//	go run ./bench                      a table, in three to five minutes
//	go run ./bench --quick              a rough one, in twenty seconds
//	go run ./bench --json               the same figures and more for programs
//	go run ./bench --readme FILE        the table between the marks of a file
//	go run ./bench --only load          load generators, beside vegeta and wrk, in ten minutes
//
// Contenders take turns, in an order that changes from round to round; figures
// are medians of the rounds. What they measure is processor time (see package
// meter), so that a busy machine disturbs the ratios little; close what you
// can all the same.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/report"
	"github.com/plimsoll-go/plimsoll/bench/internal/web"
)

// clientCommand makes this program the clients of the HTTP servers.
const clientCommand = "http-client"

func main() {
	if len(os.Args) == 2 && os.Args[1] == clientCommand {
		exit(1, web.Load(os.Stdin, os.Stdout))
		return
	}
	if part, err := aPart(os.Args[1:]); part {
		exit(1, err)
		return
	}
	p := defaults
	asJSON := flag.Bool("json", false, "print JSON")
	asMarkdown := flag.Bool("markdown", false, "print Markdown")
	readme := flag.String("readme", "", "put the table into this `file`, between "+report.Begin+" and "+report.End)
	quick := flag.Bool("quick", false, "few and short samples: rough figures")
	flag.IntVar(&p.rounds, "rounds", p.rounds, "samples of each limiter")
	flag.DurationVar(&p.sample, "sample", p.sample, "processor time of one sample")
	flag.IntVar(&p.pairs, "pairs", p.pairs, "samples of each HTTP handler and gRPC server, of each case of the proxy a third as many, and of load generators a fortieth")
	only := flag.String("only", "", "measure one part: admit, refuse, call, http, grpc or proxy; or load, which is not part of all")
	flag.Parse()
	if *quick {
		p = plan{rounds: 5, sample: 5 * time.Millisecond, pairs: 7}
	}
	p.only = *only
	exit(2, p.check(flag.Args()))
	if *readme != "" {
		// Before minutes of measuring, not after.
		_, err := replaced(*readme, "")
		exit(2, err)
	}
	r, err := p.run()
	exit(1, err)
	exit(1, show(r, *asJSON, *asMarkdown, *readme))
}

// show prints the report, and puts it into a file where one is named.
func show(r *report.Report, asJSON, asMarkdown bool, readme string) error {
	if readme != "" {
		text, err := replaced(readme, r.Markdown(command))
		if err != nil {
			return err
		}
		if err := os.WriteFile(readme, []byte(text), 0o644); err != nil {
			return err
		}
	}
	switch {
	case asJSON:
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(r)
	case asMarkdown:
		fmt.Print(r.Markdown(command))
	default:
		fmt.Print(r.Text())
	}
	return nil
}

// command is what the Markdown says measured it.
const command = "make bench"

func replaced(file, section string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	out, err := report.Replace(string(text), section)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return out, nil
}

func exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(code)
	}
}
