package queue

// A chain is one of the lists that an item can be in, each through a link of
// its own, so that it leaves all of them in constant time.
type chain uint8

const (
	byFlow  chain = iota // its flow's, over all levels
	byLevel              // its lane's and level's, over all flows
	byAge                // the queue's, of those that may still move up a lane
	chains
)

type link struct{ next, prev *Item }

// list holds items in arrival order. The zero value is empty.
type list struct{ head, tail *Item }

func (l *list) add(c chain, it *Item) {
	it.links[c].prev = l.tail
	if l.tail == nil {
		l.head = it
	} else {
		l.tail.links[c].next = it
	}
	l.tail = it
}

func (l *list) remove(c chain, it *Item) {
	k := &it.links[c]
	if k.prev == nil {
		l.head = k.next
	} else {
		k.prev.links[c].next = k.next
	}
	if k.next == nil {
		l.tail = k.prev
	} else {
		k.next.links[c].prev = k.prev
	}
	*k = link{}
}
