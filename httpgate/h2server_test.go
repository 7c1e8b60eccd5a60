package httpgate

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"sync"
)

// fickle is an HTTP/2 server that refuses streams, breaks them off and cuts
// connections while bodies are being sent, and answers the others with the hash
// of what it was sent. It counts the bodies that it had as a whole, by their
// first eight bytes.
type fickle struct {
	mu     sync.Mutex
	random *rand.Rand
	whole  map[uint64]int
	did    [moods]int
	conns  []net.Conn
}

// What becomes of a stream.
const (
	answersIt   = iota
	refusesIt   // at its beginning
	refusesBody // as its body comes
	breaksIt    // when it has all of it
	cutsAtOnce  // the connection, at its beginning
	cutsBody    // as its body comes
	cutsAtEnd   // when it has all of it
	goesAway    // takes this one, and no further one on this connection
	turnsAway   // the same, but not this one either
	moods
)

// Types of frames and their parts (RFC 9113, sections 6 and 7).
const (
	frameData, frameHeaders, frameReset, frameSettings, framePing, frameGoAway, frameWindow = 0, 1, 3, 4, 6, 7, 8

	flagAck, flagEnd, flagHeaders = 1, 1, 4
	errNone, errInternal, errBusy = 0, 2, 7
	preface                       = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// stream is one that is being received.
type stream struct {
	mood int
	body []byte
}

// conversation is one connection.
type conversation struct {
	*fickle
	conn    net.Conn
	out     chan []byte
	streams map[uint32]*stream
	away    bool
}

func (f *fickle) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		f.mu.Lock()
		f.conns = append(f.conns, conn)
		f.mu.Unlock()
		c := &conversation{fickle: f, conn: conn, out: make(chan []byte, 10000), streams: map[uint32]*stream{}}
		go c.write()
		go c.read()
	}
}

// hangUp ends all connections.
func (f *fickle) hangUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		c.Close()
	}
}

// write sends what there is to send. Nothing that reads waits for it, or both
// sides would wait for the other to read.
func (c *conversation) write() {
	for b := range c.out {
		c.conn.Write(b)
	}
}

func (c *conversation) frame(kind, flags byte, id uint32, payload ...byte) {
	b := make([]byte, 9, 9+len(payload))
	binary.BigEndian.PutUint32(b, uint32(len(payload))<<8|uint32(kind))
	b[4] = flags
	binary.BigEndian.PutUint32(b[5:], id)
	c.out <- append(b, payload...)
}

func word(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// read takes frames until the connection ends, or is to be cut.
func (c *conversation) read() {
	defer close(c.out)
	defer c.conn.Close()
	if _, err := io.ReadFull(c.conn, make([]byte, len(preface))); err != nil {
		return
	}
	c.frame(frameSettings, 0, 0, 0, 4, 0, 0x10, 0, 0) // windows of 1 MiB
	c.frame(frameWindow, 0, 0, word(1<<30)...)
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(c.conn, head); err != nil {
			return
		}
		payload := make([]byte, binary.BigEndian.Uint32(head)>>8)
		if _, err := io.ReadFull(c.conn, payload); err != nil {
			return
		}
		id := binary.BigEndian.Uint32(head[5:])
		switch kind, flags := head[3], head[4]; {
		case kind == frameSettings && flags&flagAck == 0:
			c.frame(frameSettings, flagAck, 0)
		case kind == framePing && flags&flagAck == 0:
			c.frame(framePing, flagAck, 0, payload...)
		case kind == frameReset:
			delete(c.streams, id)
		case kind == frameHeaders && !c.begins(id) || kind == frameData && !c.comes(id, payload):
			return
		case kind <= frameHeaders && flags&flagEnd != 0 && !c.ends(id):
			return
		}
	}
}

// begins takes a new stream, and reports whether the connection goes on.
func (c *conversation) begins(id uint32) bool {
	c.mu.Lock()
	mood := 0
	if n := c.random.IntN(3 * moods); n < moods {
		mood = n
	}
	c.did[mood]++
	c.mu.Unlock()
	switch {
	case c.away:
		return true // it was told that this one would not be taken
	case mood == refusesIt:
		c.frame(frameReset, 0, id, word(errBusy)...)
	case mood == cutsAtOnce:
		return false
	case mood == goesAway, mood == turnsAway:
		last := id
		if c.away = true; mood == turnsAway {
			last = id - 2
		}
		c.frame(frameGoAway, 0, 0, append(word(last), word(errNone)...)...)
		if mood == goesAway {
			c.streams[id] = &stream{}
		}
	default:
		c.streams[id] = &stream{mood: mood}
	}
	return true
}

// comes takes a part of a body.
func (c *conversation) comes(id uint32, b []byte) bool {
	s := c.streams[id]
	switch {
	case s == nil || len(b) == 0:
		return true
	case s.mood == refusesBody:
		delete(c.streams, id)
		c.frame(frameReset, 0, id, word(errBusy)...)
	case s.mood == cutsBody:
		return false
	}
	s.body = append(s.body, b...)
	return true
}

// ends answers what has come as a whole.
func (c *conversation) ends(id uint32) bool {
	s := c.streams[id]
	if s == nil {
		return true
	}
	delete(c.streams, id)
	c.mu.Lock()
	c.whole[binary.BigEndian.Uint64(s.body)]++
	c.mu.Unlock()
	switch s.mood {
	case cutsAtEnd:
		return false
	case breaksIt:
		c.frame(frameReset, 0, id, word(errInternal)...)
		return true
	}
	hash := sha256.Sum256(s.body)
	c.frame(frameHeaders, flagHeaders, id, 0x88) // :status 200
	c.frame(frameData, flagEnd, id, hash[:]...)
	return true
}
