// Package top is "plimsoll top": a running proxy in a terminal.
//
//	between.go  what went on between two looks at /status: rates; pure
//	picture.go  what it looks like, for a width; pure
//	spark.go    the last goodput as a line of blocks; pure
//	cmd.go      the terminal, the clock and the admin port
package top
