package sim

import "time"

// branch is what an attempt has to do with the calls that it makes, with the
// one that makes it, and with others in a process that may be killed. It is
// apart from the call, as most attempts have nothing of that and memory is what
// a long queue costs.
type branch struct {
	root   uint64 // the number of the request that it is made for; a call's
	parent *call  // that waits for it; nil: a source's, or nobody does
	kids   *call  // of its calls that it waits for, the latest first
	before *call  // among the kids of its parent
	after  *call

	step    int32 // in the plan of its kind
	made    int32 // of that step
	pending int32 // not answered

	below time.Duration // work on its calls that were answered in time

	older, younger *call // inside a process

	next *branch // among those not in use
}

// sprout returns an unused branch.
func (e *engine) sprout() *branch {
	b := e.sprouts
	if b == nil {
		return new(branch)
	}
	e.sprouts = b.next
	*b = branch{}
	return b
}

// adopt begins to wait for a kid.
func (c *call) adopt(kid *call) {
	kid.parent, kid.before, kid.after = c, nil, c.kids
	if c.kids != nil {
		c.kids.before = kid
	}
	c.kids = kid
}

// disown ends that.
func (c *call) disown(kid *call) {
	if kid.before != nil {
		kid.before.after = kid.after
	} else {
		c.kids = kid.after
	}
	if kid.after != nil {
		kid.after.before = kid.before
	}
	kid.parent, kid.before, kid.after = nil, nil, nil
}

// sender is the number of the request at the root, which stands for whoever
// sent it.
func (c *call) sender() uint64 {
	if c.kind.call != nil {
		return c.root
	}
	return c.id
}

// replace makes n the attempt that the parent of c waits for.
func (n *call) replace(c *call) {
	if c.kind.call != nil {
		n.root = c.root
	}
	if p := c.parent; p != nil {
		p.disown(c)
		p.adopt(n)
	}
}
