// Package core is the machine that decides: admit, wait or refuse.
//
// A [Machine] is a plain struct. It knows no clock, no lock and no goroutine:
// time is the first argument of every method, as a duration since the gate's
// epoch, and a time that runs backwards counts as no time passed. The same
// machine serves live traffic under package plimsoll and virtual time in the
// simulator.
//
// A method that moves others than its own waiter returns them as a list
// linked through the waiters themselves ([Waiter.Next]); each carries its
// [Decision]. The caller detaches the list before it lets anybody else call.
//
// Two paths avoid the caller's lock, both through [Word]: while nothing wants
// a say, a slot is taken and given back by compare-and-swap; and while the
// queue is full, what ranks no higher than the worst waiter is refused by one
// load. The machine closes the word before it rules on anything else, so the
// word is its own whenever it is closed.
//
// A Machine is not safe for concurrent use; its Word is.
package core
