package process

import "sync"

// tail is the end of a text.
type tail struct {
	mu   sync.Mutex
	text string
}

func (t *tail) write(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += s
	t.text = t.text[max(0, len(t.text)-4096):]
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text
}
