package sim

import "math/rand/v2"

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): it
// makes neighbouring numbers look unrelated.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// drawer draws from numbers instead of from streams: the same number gives the
// same draws, whenever it is asked for.
type drawer struct {
	pcg  *rand.PCG
	rand *rand.Rand
}

// from returns random numbers that depend on id alone, until the next call.
func (d *drawer) from(id uint64) *rand.Rand {
	if d.pcg == nil {
		d.pcg = new(rand.PCG)
		d.rand = rand.New(d.pcg)
	}
	d.pcg.Seed(id, mix(id))
	return d.rand
}

// number is that of the next request of a kind.
func (k *kind) number() uint64 {
	k.numbered++
	return mix(k.salt + k.numbered)
}
