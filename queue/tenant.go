package queue

// The tenants of a lane are told apart in a table of fixed size, so that no
// number of distinct keys makes it grow: sets of ways slots each, as in a
// processor's cache.
const (
	sets = 16
	ways = 8
)

// tenants is a lane's table. A tenant's hash picks its set. In it, a tenant
// has its own slot from its first waiter on until another one wants the slot
// while nobody waits in it; so up to ways tenants never share one, and the
// table holds sets*ways. When all slots of a set have waiters, a newcomer
// shares the slot that its hash names: both then count as one tenant, as in
// stochastic fairness queueing (McKenney 1990).
type tenants struct {
	tag   [sets * ways]uint64 // whose slot it is; 0: nobody's yet
	flows [sets * ways]flow
}

// find returns the flow in which tenant would wait, without giving it a slot:
// nil if it would get a slot in which nobody waits.
func (t *tenants) find(tenant uint64) *flow {
	if i, own := t.slot(tenant); own || t.flows[i].n > 0 {
		return &t.flows[i]
	}
	return nil
}

// claim returns the flow in which tenant waits from now on.
func (t *tenants) claim(tenant uint64) *flow {
	i, own := t.slot(tenant)
	f := &t.flows[i]
	if !own && f.n == 0 {
		t.tag[i], f.stand, f.codel = tenant, 0, codel{}
	}
	return f
}

// slot returns the index of tenant's own slot; else of one in which nobody
// waits, preferring whoever is least ahead in virtual time, since that is
// forgotten; else of the one to share.
func (t *tenants) slot(tenant uint64) (i int, own bool) {
	h := mix(tenant)
	base := int(h%sets) * ways
	free := -1
	for i := base; i < base+ways; i++ {
		if t.tag[i] == tenant {
			return i, true
		}
		if f := &t.flows[i]; f.n == 0 && (free < 0 || f.stand < t.flows[free].stand) {
			free = i
		}
	}
	if free >= 0 {
		return free, false
	}
	return base + int(h/sets%ways), false
}

// mix spreads a hash whose low bits may be poor: the finaliser of MurmurHash3.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
