package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/sweep"
	"github.com/plimsoll-go/plimsoll/sim"
)

// File is a scenario file of which nothing is wrong.
type File struct {
	Path       string
	Name       string // what the file calls it; otherwise the file's own name
	About      string // the comment at the top, without its marks
	Source     string // where its figures come from; empty: nothing is said
	Seeds      int    // how many it is to be played with, 1 or more
	Parameters []Parameter
	Policies   []string     // in the file's order; empty: it has none
	Expect     strict.Value // what is expected; a nil Node: nothing is
	Sweep      []sweep.Axis // what plimsoll sim sweep varies when it is not told

	// Arena is what the arena has to know of it; a nil Node: it is none of its.
	Arena strict.Value

	root    strict.Value
	unknown []string                          // parameters whose value is a fault by itself
	open    func(name string) ([]byte, error) // what the file names, relative to it

	// Traces are what Decode has read, by name; then they stay as they are, as
	// several may build at once.
	traces  map[string][]sim.Record
	decoded bool
}

// Parameter is a number that the file leaves open, and what it is there.
type Parameter struct {
	Name  string
	Value float64
}

// Plan is what is played.
type Plan struct {
	sim.Scenario
	// Capacity is how many requests a second each station serves at most, as
	// the file says it or by its workers and the mean of what is asked of it.
	// 0: it has no bound, or none that is known.
	Capacity []float64
}

// Read reads a file from disk. The error is [strict.Faults].
func Read(path string) (*File, error) {
	var r strict.Reader
	data, ok := r.ReadFile(path)
	if !ok {
		return nil, r.Faults.Err()
	}
	at := File{Path: path}
	return Decode(path, data, func(name string) ([]byte, error) { return os.ReadFile(at.beside(name)) })
}

// mostPolicies and mostSeeds bound what one file asks for.
const (
	mostPolicies = 100
	mostSeeds    = 10_000
)

// Decode reads the content of a file. Files that it names are read by open.
// The error is [strict.Faults]: all of them, of every policy.
func Decode(path string, data []byte, open func(name string) ([]byte, error)) (*File, error) {
	f := &File{Path: path, Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Seeds: 1, open: open, traces: map[string][]sim.Record{}}
	r := newReader(f, nil)
	root, ok := r.Document(path, "a scenario", data)
	if !ok {
		return nil, r.Faults.Err()
	}
	f.About = about(root)
	if f.root.Node, ok = r.expand(root); !ok {
		return nil, r.Faults.Err()
	}
	f.root = root.Child("", f.root.Node)
	r.head(f.root)
	for _, policy := range f.variants() {
		_, err := f.Build(policy, nil)
		more, _ := strict.FaultsOf(err)
		for _, fault := range more {
			if !slices.Contains(r.Faults, fault) {
				r.Faults = append(r.Faults, fault)
			}
		}
	}
	f.decoded = true
	if err := r.Faults.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// Expected is what a file of which something else may be wrong expects; false:
// nothing, as far as it can be read.
func Expected(path string, data []byte) (strict.Value, bool) {
	var r strict.Reader
	root, ok := r.Document(path, "a scenario", data)
	if !ok {
		return strict.Value{}, false
	}
	return root.Field("expect")
}

// variants are the policies, or that of a file that has none.
func (f *File) variants() []string {
	if len(f.Policies) == 0 {
		return []string{""}
	}
	return f.Policies
}

// Default is the policy that is played when nobody asks for one: the first;
// empty where there are none.
func (f *File) Default() string { return f.variants()[0] }

// Build makes the scenario to play, under a policy of the file (empty: none,
// the file as it is without) and with some parameters set to other values than
// the file's. The error is [strict.Faults].
func (f *File) Build(policy string, set map[string]float64) (Plan, error) {
	if policy == "" {
		return f.Combine(nil, set)
	}
	return f.Combine([]string{policy}, set)
}

// Combine is Build with several policies, each laid over those before it.
func (f *File) Combine(policies []string, set map[string]float64) (Plan, error) {
	r := newReader(f, set)
	for name := range set {
		if !f.hasParameter(name) {
			r.Want(strict.Value{File: f.Path, Key: "parameters." + name}, "a parameter of the file: %s", list(f.parameterNames()))
		}
	}
	root := f.root
	for _, policy := range policies {
		if !slices.Contains(f.Policies, policy) {
			r.Want(strict.Value{File: f.Path, Key: "policies." + policy}, "a policy of the file: %s", list(f.Policies))
			return Plan{}, r.Faults.Err()
		}
		root = f.over(root, policy)
	}
	p := r.plan(root)
	return p, r.Faults.Err()
}

func (f *File) hasParameter(name string) bool {
	return slices.ContainsFunc(f.Parameters, func(p Parameter) bool { return p.Name == name })
}

func (f *File) parameterNames() []string {
	var names []string
	for _, p := range f.Parameters {
		names = append(names, p.Name)
	}
	return names
}

func list(names []string) string {
	if len(names) == 0 {
		return "it has none"
	}
	return strings.Join(names, ", ")
}

// head reads what does not depend on policies and parameters.
func (r *reader) head(root strict.Value) {
	f := r.file
	if v, ok := root.Field("name"); ok {
		r.text(v, &f.Name)
	}
	if v, ok := root.Field("source"); ok {
		r.text(v, &f.Source)
	}
	if v, ok := root.Field("seeds"); ok {
		r.Number(v, 1, mostSeeds, "", &f.Seeds)
	}
	if v, ok := root.Field("parameters"); ok {
		r.Named(v, "parameters", r.parameter)
	}
	f.Expect, _ = root.Field("expect")
	f.Arena, _ = root.Field("arena")
	if v, ok := root.Field("policies"); ok {
		r.Named(v, "policies", func(name string, v strict.Value) {
			if len(f.Policies) == mostPolicies {
				r.Want(v, "at most %d policies", mostPolicies)
			}
			if len(f.Policies) < mostPolicies {
				f.Policies = append(f.Policies, name)
			}
			r.policy(root, v)
		})
	}
	if v, ok := root.Field("sweep"); ok {
		r.List(v, "axes", r.axis)
	}
}

// axis reads one direction of a sweep.
func (r *reader) axis(v strict.Value) {
	var text string
	if r.text(v, &text); text == "" {
		return
	}
	a, err := sweep.ParseAxis(text)
	if err == nil {
		err = r.file.CheckAxis(a)
	}
	if err != nil {
		r.Faults = append(r.Faults, strict.Fault{File: v.File, Line: v.Line, Key: v.Key, Want: err.Error()})
		return
	}
	r.file.Sweep = append(r.file.Sweep, a)
}

// CheckAxis says what is wrong with varying the file along an axis: numbers
// are those of the parameter that it is named after, names are policies.
func (f *File) CheckAxis(a sweep.Axis) error {
	if a.Numbers() {
		if !f.hasParameter(a.Name) {
			return fmt.Errorf("%s: want the name of a parameter of the file before numbers: %s", a.Name, list(f.parameterNames()))
		}
		return nil
	}
	for _, v := range a.Values {
		if !slices.Contains(f.Policies, v.Text) {
			return fmt.Errorf("%s: want policies of the file, have %q: %s", a.Name, v.Text, list(f.Policies))
		}
	}
	return nil
}

var parameterName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (r *reader) parameter(name string, v strict.Value) {
	if !parameterName.MatchString(name) {
		r.Want(v, "a name of small letters, digits and _, as it stands in formulas")
		return
	}
	var n float64
	if r.plain(v, &n) {
		r.file.Parameters = append(r.file.Parameters, Parameter{name, n})
		return
	}
	r.WantNot(v, "a number")
	r.file.unknown = append(r.file.unknown, name)
}

// about is the comment at the top of a file.
func about(root strict.Value) string {
	comment := root.Node.HeadComment
	if comment == "" && len(root.Node.Content) > 0 {
		comment = root.Node.Content[0].HeadComment
	}
	var lines []string
	for line := range strings.Lines(comment) {
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#")))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// String is the value as people write it.
func (p Parameter) String() string { return fmt.Sprintf("%s=%g", p.Name, p.Value) }
