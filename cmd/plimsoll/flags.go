package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// unknownFlags takes the flags that a command does not have, with their
// values, out of args, one fault each: kong stops at the first of them, and
// says nothing then of what else is wrong.
func unknownFlags(app *kong.Application, args []string) (rest []string, faults strict.Faults) {
	node := app.Node
	dropped := false
	for i, arg := range args {
		if arg == "--" {
			return append(rest, args[i:]...), faults
		}
		value := dropped && !strings.HasPrefix(arg, "-") && child(node, arg) == nil
		dropped = false
		switch name, isFlag := strings.CutPrefix(arg, "--"); {
		case isFlag:
			name, _, assigned := strings.Cut(name, "=")
			if !has(node, name) {
				advice := "see --help"
				if near := strict.Nearest(name, flagNames(node)); near != "" {
					advice = "did you mean --" + near + "?"
				}
				faults = append(faults, strict.Fault{Key: "--" + name, Want: "want a flag of " + node.FullPath() + "; " + advice})
				dropped = !assigned
				continue
			}
		case value:
			continue
		default:
			if c := child(node, arg); c != nil {
				node = c
			}
		}
		rest = append(rest, arg)
	}
	return rest, faults
}

// child is the subcommand of a name, or nil.
func child(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// has reports whether a command, the one that it stands for or one above it has
// a flag.
func has(node *kong.Node, name string) bool { return slices.Contains(flagNames(node), name) }

// flagNames are the flags of a command, or of the one that it stands for, and of
// those above it.
func flagNames(node *kong.Node) (names []string) {
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for ; node != nil; node = node.Parent {
		for _, f := range node.Flags {
			names = append(names, f.Name)
			if f.Tag != nil && f.Tag.Negatable != "" {
				names = append(names, "no-"+f.Name)
			}
		}
	}
	return names
}
