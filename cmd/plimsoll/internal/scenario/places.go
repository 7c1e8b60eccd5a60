package scenario

import (
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

var (
	// A fault of Validate: sim: Stations[0] "a".Gate: want ...
	simFault = regexp.MustCompile(`^sim: ((?:[A-Za-z]+(?:\[\d+\])?(?: "(?:[^"\\]|\\.)*")?\.?)+): (.*)$`)
	names    = regexp.MustCompile(` "(?:[^"\\]|\\.)*"`)
	// What such a fault says in a further line: Utilisation: want ...
	subFault = regexp.MustCompile(`^([A-Z][A-Za-z.]*(?:\[\d+\][A-Za-z.]*)?): (.*)$`)
	indices  = regexp.MustCompile(`\[\d+\]`)
	humps    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// validated notes what Validate finds, each fault at the line that it is about.
func (r *reader) validated(root strict.Value, err error) {
	if err == nil {
		return
	}
	read := slices.Clone(r.Faults)
	part := ""
	for line := range strings.SplitSeq(err.Error(), "\n") {
		where, what := part, line
		if m := simFault.FindStringSubmatch(line); m != nil {
			part = names.ReplaceAllString(m[1], "")
			where, what = part, m[2]
		}
		if m := subFault.FindStringSubmatch(what); m != nil {
			where, what = where+"."+m[1], m[2]
		}
		at, exact := r.place(root, where)
		if r.broken[where] || exact && slices.ContainsFunc(read, func(f strict.Fault) bool { return touches(f.Key, at.Key) }) {
			continue // it has no value, as what stands there is a fault already
		}
		r.Want(at, "%s", strings.TrimPrefix(what, "want "))
	}
}

// place is where a part of the scenario stands in the file. Where the file has
// nothing of it, that is what would hold it, and exact is false.
func (r *reader) place(root strict.Value, part string) (at strict.Value, exact bool) {
	rest := ""
	for part != "" {
		if v, ok := r.places[part]; ok {
			if rest != "" {
				v.Key += "." + keyOf(rest)
			}
			return v, rest == ""
		}
		if cut := strings.LastIndexByte(part, '['); strings.HasSuffix(part, "]") && cut > strings.LastIndexByte(part, '.') {
			part = part[:cut]
			continue
		}
		cut := strings.LastIndexByte(part, '.')
		rest = strings.TrimSuffix(part[cut+1:]+"."+rest, ".")
		part = part[:max(cut, 0)]
	}
	root.Key = keyOf(rest)
	return root, false
}

// keyOf is how a file spells a part of the scenario.
func keyOf(part string) string {
	part = indices.ReplaceAllString(part, "")
	return strings.ToLower(humps.ReplaceAllString(part, "$1-$2"))
}

// touches reports whether one of two keys holds the other, or they are one.
func touches(a, b string) bool {
	holds := func(outer, inner string) bool {
		rest, ok := strings.CutPrefix(inner, outer)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	return holds(a, b) || holds(b, a)
}
