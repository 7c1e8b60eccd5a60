package main

import (
	"slices"

	"github.com/alecthomas/kong"
)

// usual are the arguments for what people type by habit.
func usual(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// helped has the help of a command that stands for one of its subcommands be that
// subcommand's: it has the flags that people look for.
func helped(app *kong.Application, args []string) []string {
	node := app.Node
	for i, arg := range args {
		switch c := child(node, arg); {
		case c != nil:
			node = c
		case (arg == "--help" || arg == "-h") && node.DefaultCmd != nil:
			return slices.Insert(slices.Clone(args), i, node.DefaultCmd.Name)
		default:
			return args
		}
	}
	return args
}
