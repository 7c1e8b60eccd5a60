package reference

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/progress"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/scenarios"
)

// Cmd is the command line of "plimsoll sim reference".
type Cmd struct {
	IDs   []string `arg:"" optional:"" name:"ID" help:"The cases to play, such as R04. Default: all of them."`
	Dir   string   `placeholder:"DIR" help:"Read the scenario files of this folder instead of those that the program brings with it."`
	JSON  bool     `name:"json" help:"Print the verdicts as JSON."`
	Seeds int      `placeholder:"N" help:"Play every file with the seeds 1 to N. Default: as many as the file says."`
	Scale []string `placeholder:"NAME=FACTOR" help:"Multiply a parameter of the files by a factor, to see the figures follow."`
	Doc   string   `placeholder:"FILE" help:"Write the cases, their sources and figures into this file as Markdown."`
}

// Help is the longer text of "plimsoll sim reference --help".
func (*Cmd) Help() string {
	return `Plays the cases whose figures were worked out independently of this program,
and says for each figure what is expected, what came out, and whether that is
so. It ends with 1 if any figure is missed. Nothing is known in advance: change
an input, and the figures follow.

Example:
  plimsoll sim reference
  plimsoll sim reference R04 R16 --scale rate=1.1
  plimsoll sim reference --json | jq '.[] | select(.ok | not)'`
}

// missed says that figures were missed.
type missed int

func (n missed) Error() string { return fmt.Sprintf("sim reference: %d cases missed a figure", int(n)) }

// Run plays the cases and prints the verdicts.
func (c *Cmd) Run(k *kong.Kong) error {
	cases, o, err := c.read()
	if err != nil {
		return err
	}
	o.line = progress.Follow(k.Stderr, 0)
	results, err := playAll(cases, o)
	o.line.End()
	if err != nil {
		return err
	}
	return c.show(k.Stdout, results)
}

func playAll(cases []kase, o options) ([]result, error) {
	results := make([]result, len(cases))
	for i := range cases {
		var err error
		if results[i], err = cases[i].play(o); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// Check names every fault of the input without playing anything.
func (c *Cmd) Check() error {
	_, _, err := c.read()
	return err
}

// read reads the flags and the cases.
func (c *Cmd) read() ([]kase, options, error) {
	dir, shown := fs.FS(nil), c.Dir
	if c.Dir != "" {
		dir = os.DirFS(c.Dir)
	} else {
		sub, err := fs.Sub(scenarios.Files, "reference")
		if err != nil {
			return nil, options{}, err
		}
		dir, shown = sub, "scenarios/reference"
	}
	cases, err := load(dir, shown, c.IDs)
	faults, ok := strict.FaultsOf(err)
	if err != nil && !ok {
		return nil, options{}, err
	}
	o := options{exactly: c.Seeds}
	if c.Seeds < 0 {
		faults = append(faults, strict.Fault{Key: "--seeds", Want: fmt.Sprintf("want 1 or more, have %d", c.Seeds)})
	}
	o.scale, faults = c.scale(cases, faults)
	return cases, o, faults.Err()
}

// scale reads the factors of parameters.
func (c *Cmd) scale(cases []kase, faults strict.Faults) (map[string]float64, strict.Faults) {
	scale := map[string]float64{}
	for _, s := range c.Scale {
		name, text, _ := strings.Cut(s, "=")
		by, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil || !(by > 0) || by > 1e6:
			faults = append(faults, strict.Fault{Key: "--scale", Want: "want a parameter and a factor above 0, such as rate=1.1, have " + s})
		case !anyHas(cases, name):
			faults = append(faults, strict.Fault{Key: "--scale", Want: "want a parameter of the cases, have " + name})
		default:
			scale[name] = by
		}
	}
	return scale, faults
}

func anyHas(cases []kase, parameter string) bool {
	for _, c := range cases {
		for _, f := range c.files {
			for _, p := range f.Parameters {
				if p.Name == parameter {
					return true
				}
			}
		}
	}
	return false
}

func (c *Cmd) show(w io.Writer, results []result) error {
	if c.Doc != "" {
		if err := writeDoc(c.Doc, results); err != nil {
			return err
		}
	}
	var err error
	if c.JSON {
		err = writeJSON(w, results)
	} else {
		err = write(w, results)
	}
	ok, bad, pending := summary(results)
	if err == nil && !c.JSON {
		_, err = fmt.Fprintf(w, "%d ok, %d missed, %d pending\n", ok, bad, pending)
	}
	if err == nil && bad > 0 {
		err = missed(bad)
	}
	return err
}
