package main

import (
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// parse reads a command line. Flags whose values are none of their kind are left
// out, one fault each: kong stops at the first of them.
func parse(parser *kong.Kong, args []string) (ctx *kong.Context, faults strict.Faults, err error) {
	for {
		ctx, err = parser.Parse(args)
		if err == nil {
			return ctx, faults, nil
		}
		m := wrongValue.FindStringSubmatch(err.Error())
		if m == nil {
			return ctx, faults, err
		}
		rest, value, found := without(args, m[1])
		if !found {
			return ctx, faults, err
		}
		faults = append(faults, strict.Fault{Key: m[1], Want: wanted(m[2], value)})
		args = rest
	}
}

// wrongValue is what kong says of a value that is none.
var wrongValue = regexp.MustCompile(`^(--[a-z0-9-]+): (expected .*)`)

// without takes a flag with its value out of args, wherever it stands.
func without(args []string, flag string) (rest []string, value string, found bool) {
	for i := 0; i < len(args); i++ {
		name, after, assigned := strings.Cut(args[i], "=")
		if name != flag {
			rest = append(rest, args[i])
			continue
		}
		found = true
		if value = after; !assigned && i+1 < len(args) {
			i++
			value = args[i]
		}
	}
	return rest, value, found
}

// wanted says what belongs there, where kong says what it expected.
func wanted(expected, have string) string {
	value := strict.Value{Text: have}.Shown()
	switch {
	case strings.HasPrefix(expected, "expected duration"):
		_, err := strict.ParseDuration(have)
		if err == nil {
			return "want a duration, have " + value
		}
		return "want " + err.Error() + ", have " + value
	case strings.Contains(expected, " bit uint"):
		return "want a whole number of 0 or more, have " + value
	case strings.Contains(expected, " bit int"):
		return "want a whole number, have " + value
	case strings.Contains(expected, "float"):
		return "want a number, have " + value
	}
	return expected
}
