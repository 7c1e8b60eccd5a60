package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// notOne is what kong says of a value that is none of those that there are.
var notOne = regexp.MustCompile(`^(\S+) must be one of (.*) but got (".*")$`)

// faultOf says what kong could not make of the command line: what is wanted there,
// where kong has names alone.
func faultOf(err error) strict.Faults {
	text := err.Error()
	at := "plimsoll"
	var node *kong.Node
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		if node = parse.Context.Selected(); node == nil {
			node = parse.Context.Model.Node
		}
		at = node.FullPath()
	}
	if m := notOne.FindStringSubmatch(text); m != nil {
		return strict.Faults{{Key: m[1], Want: "want one of " + strings.ReplaceAll(m[2], ",", ", ") + ", have " + m[3]}}
	}
	if strings.HasPrefix(text, "expected one of ") && node != nil {
		return strict.Faults{{Key: at, Want: "want a command: " + strings.Join(childNames(node), ", ") + "; see " + at + " --help"}}
	}
	if missing, ok := strings.CutPrefix(text, `expected "`); ok && node != nil {
		if faults := absent(node, missing); faults != nil {
			return faults
		}
	}
	if rest, ok := strings.CutPrefix(text, "unknown flag "); ok {
		flag, _, _ := strings.Cut(rest, ", did you mean ")
		return strict.Faults{{Key: flag, Want: "want a flag of " + at + "; see --help"}}
	}
	if rest, ok := strings.CutPrefix(text, "unexpected argument "); ok && node != nil {
		arg, _, _ := strings.Cut(rest, ", did you mean ")
		return strict.Faults{{Key: arg, Want: unwanted(node, arg)}}
	}
	return strict.Faults{{Want: text}}
}

// absent are the arguments of a command that are missing, by what they are.
func absent(node *kong.Node, missing string) (faults strict.Faults) {
	for _, a := range node.Positional {
		if strings.Contains(missing, a.Summary()) {
			faults = append(faults, strict.Fault{Key: a.Summary(), Want: "want an argument: " + a.Help})
		}
	}
	return faults
}

// unwanted says what would do in the place of an argument.
func unwanted(node *kong.Node, arg string) string {
	names := childNames(node)
	switch near := strict.Nearest(arg, names); {
	case len(names) == 0:
		return "want no further argument of " + node.FullPath() + "; see " + node.FullPath() + " --help"
	case near != "":
		return "want a command of " + node.FullPath() + "; did you mean " + near + "?"
	}
	return "want a command of " + node.FullPath() + ": " + strings.Join(names, ", ")
}

// childNames are the subcommands of a command.
func childNames(node *kong.Node) (names []string) {
	for _, c := range node.Children {
		names = append(names, c.Name)
	}
	return names
}
