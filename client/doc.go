// Package client is the caller's side of a call to one destination: it keeps a
// caller from sending what would be in vain, and from storming a destination
// with retries.
//
//	c, err := client.New(client.Config{})
//	...
//	err = c.Do(ctx, client.Op{Repeatable: true}, func(ctx context.Context) error {
//		return fetch(ctx)
//	})
//
// One call goes through, in this order: the rate, the breaker, the bulkhead, the
// throttle, the attempt with what is left of the caller's time, the
// classification of what came of it, and the decision whether there is another
// attempt. What decides is pure and is found in the packages throttle, breaker
// and retry; here are the lock, the clock and the waiting. [Error] says why
// there is no further attempt, and holds what the last one ended with.
// [Client.Hold] is for what lasts beyond a function, such as a stream.
//
// [Get] is for what has a result; [Op].Hedge has a read that takes long tried
// again beside itself.
//
// Criticality is the context's (class/wire): each has a throttle, a breaker and
// places of its own. A [Client] is for one destination and is safe for concurrent
// use. It starts no goroutine but for calls with [Op].Hedge, whose attempts each
// have one: an attempt that does not heed its context holds its place until it
// returns, and only one that has lost to another is not waited for.
package client
