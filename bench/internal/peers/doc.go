// Package peers has the limiters that are measured side by side, each as a
// [Case]: a loop around its hot call and nothing else, since a call through an
// interface would cost as much as some of them do. [Admits] take a slot and
// give it back; [Refusals] are refused; [Calls] are what callers put round a call.
// [Batch] runs a case with as many
// goroutines as wanted and fails when a single operation went the other way.
//
// Every limiter is used as its documentation says, with its defaults where
// they admit: a limiter that makes a crowd wait would be measured waiting.
package peers
