// Package demo is the command "plimsoll demo": the story of an overload in a
// minute, over real loopback sockets and in one process.
//
// A backend with eight slots and an unbounded queue does not notice that its
// callers have left. Open-loop clients with a deadline and three immediate
// attempts send it 0.7 times its capacity, then twice its capacity, then 0.7
// times again. The same schedule is played twice, first against the bare
// backend and then through the proxy with its default settings.
//
// What merely looks like an overload is played apart each time, with a fresh
// backend: half the capacity, and downstream of the backend 100 ms of delay that
// hold none of its slots. Seven times as many requests are on their way then,
// and none of them is to be refused.
//
// Accounting is by logical request: the up to three attempts of one are one.
// A logical request is good when one of its attempts was answered 200 within
// that attempt's deadline, refused or late by how its last attempt ended.
// Throughput and goodput are what happened during a phase; everything else is
// the fate of the logical requests that were due in it.
package demo
