// Package process is one part of a comparison that is a process of its own: a
// program that listens on the loopback interface and says where ([Announce]),
// or was told. [Start] and [StartAt] return when it listens; it ends with
// [Process.Stop], which asks it to in two ways: its standard input ends, and it
// gets SIGTERM. [Build] makes the program that most of them are.
package process
