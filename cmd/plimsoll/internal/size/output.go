package size

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"
)

// format is the flag that every subject has.
type format struct {
	JSON bool `name:"json" help:"Print the answer as JSON."`
}

// answer is what a subject computed. Its JSON form is its own fields.
type answer interface {
	rows() []row // its form for people
}

// row is one figure: what it is, how much, and where it comes from.
type row struct {
	what  string
	value any
	why   string
}

// present reads the flags of a command, computes the answer and prints it.
func present[I any, A answer](k *kong.Kong, f format, read func() (I, error), compute func(I) A) error {
	in, err := read()
	if err != nil {
		return err
	}
	return f.print(k, compute(in))
}

// print prints an answer.
func (f format) print(k *kong.Kong, a answer) error {
	if f.JSON {
		e := json.NewEncoder(k.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(a)
	}
	w := tabwriter.NewWriter(k.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range a.rows() {
		if r.why == "" {
			fmt.Fprintf(w, "%s\t%v\n", r.what, r.value)
			continue
		}
		fmt.Fprintf(w, "%s\t%v\t%s\n", r.what, r.value, r.why)
	}
	return w.Flush()
}

// number is a figure without a unit, or with one in its name. It is written
// without the noise of binary fractions.
type number float64

// String returns whole numbers as they are, others with four digits that
// count.
func (n number) String() string {
	v := float64(n)
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	if a := math.Abs(v); a >= 1e15 || a < 1e-6 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(significant(v, 4), 'f', -1, 64)
}

// MarshalJSON writes twelve digits at most.
func (n number) MarshalJSON() ([]byte, error) {
	return json.Marshal(significant(float64(n), 12))
}

// seconds is a length of time.
type seconds float64

// String writes a duration as people do, with four digits that count.
func (s seconds) String() string {
	ns := significant(float64(s)*1e9, 4)
	if ns >= math.MaxInt64 {
		return number(s).String() + "s"
	}
	return time.Duration(ns).String()
}

// MarshalJSON writes seconds.
func (s seconds) MarshalJSON() ([]byte, error) { return number(s).MarshalJSON() }

// significant rounds to a number of digits that count.
func significant(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

// percent writes a share for people.
func percent(v float64) string { return number(significant(v*100, 4)).String() + " %" }

// hair is the share by which a product of binary fractions may miss the whole
// number that it stands for: 100 x 0.29 is 28.999999999999996.
const hair = 1e-9

func floor(v float64) float64 { return math.Floor(v * (1 + hair)) }
func ceil(v float64) float64  { return math.Ceil(v * (1 - hair)) }
