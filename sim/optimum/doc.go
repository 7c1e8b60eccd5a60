// Package optimum computes the best that any policy could have done, so that
// a result can be given as a share of the possible.
//
// An [Instance] is what arrived and what there was to serve it with. A request
// is worth its weight when it is finished by its deadline, and nothing
// otherwise. Three optima are told apart, and a share always says of which:
//
//   - [SizeBlind]: of policies that know no more of a request than its arrival
//     and its deadline. This is the fair 100 % of a policy that cannot know
//     how long a request will take;
//   - [ClassAware]: of policies that know the mean need of each kind as well;
//   - [Clairvoyant]: of those that know everything in advance. It can exceed
//     the capacity, by serving only what is short.
//
// The clairvoyant optimum is NP-hard for several workers, and for one where
// the windows are not agreeable. [Agreeable] is exact where it can be; the
// others are bounds: [Flow] and [Fluid] from above, [Build] from below, by a
// schedule that exists.
//
// It is pure; everything in it may be used by several goroutines at once as
// long as nobody changes the instance.
package optimum
