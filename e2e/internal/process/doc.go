// Package process runs "plimsoll proxy" as a process of its own, and looks at
// it from outside: [Start] begins one, [Process.Stop] ends it in order,
// [Process.Metrics] and [Process.Memory] say how it is.
package process
