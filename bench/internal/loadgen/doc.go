// Package loadgen measures load generators against one server: how many requests
// a second one keeps up on one core, how late it sends them, and what a request
// costs it.
//
// Generator and server are processes of their own, each confined to a core. The
// server does nothing but find the end of a request and answer it, so that it is
// not what is measured; how busy it was is told. A generator keeps up with a
// rate if it has sent, and seen answered, 99 % of what is due within the time.
package loadgen
