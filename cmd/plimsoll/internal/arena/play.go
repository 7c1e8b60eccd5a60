package arena

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/plimsoll-go/plimsoll/sim"
)

// Play plays every bout with every policy, each with so many seeds from first
// on. Step is called by several goroutines, after every run. The scores are in the order of bouts, policies and seeds.
func Play(bouts []Bout, policies []Policy, first uint64, seeds func(*Bout) int, step func()) ([]Score, error) {
	type key struct {
		bout int
		seed uint64
	}
	var (
		keys   []key
		starts []int
		total  int
	)
	for i := range bouts {
		starts = append(starts, total)
		for s := range seeds(&bouts[i]) {
			keys = append(keys, key{i, first + uint64(s)})
		}
		total += seeds(&bouts[i]) * len(policies)
	}
	scores := make([]Score, total)
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, k := range keys {
		work.Go(func() error {
			b := &bouts[k.bout]
			best, err := b.possibleOf(k.seed)
			if err != nil {
				return err
			}
			for p := range policies {
				r, err := sim.Run(b.under(policies[p]), k.seed)
				if err != nil {
					return err
				}
				scores[starts[k.bout]+p*seeds(b)+int(k.seed-first)] = b.score(policies[p], k.seed, best, r)
			}
			return nil
		})
	}
	return scores, work.Wait()
}
