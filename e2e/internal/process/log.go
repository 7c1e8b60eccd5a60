package process

import (
	"strings"
	"sync"
)

// mostLog bounds what is kept of a log: a process that floods it is caught by
// what it says first.
const mostLog = 1 << 20

type log struct {
	lock sync.Mutex
	text []byte
}

func (l *log) Write(b []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if room := mostLog - len(l.text); room > 0 {
		l.text = append(l.text, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

// Log is what the process has said so far, the first MiB of it.
func (p *Process) Log() string {
	p.log.lock.Lock()
	defer p.log.lock.Unlock()
	return string(p.log.text)
}

// Complaints are the lines of the log above INFO.
func (p *Process) Complaints() []string {
	var out []string
	for line := range strings.Lines(p.Log()) {
		if !strings.Contains(line, "level=INFO") && !strings.Contains(line, `"level":"INFO"`) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// tail is the end of the log, for messages.
func (p *Process) tail() string {
	text := p.Log()
	return text[max(0, len(text)-2000):]
}

// traces is what the log has of panics, those that net/http has recovered from
// included.
func (p *Process) traces() string {
	text := p.Log()
	for _, mark := range []string{"panic:", "panic serving", "\ngoroutine ", "DATA RACE"} {
		if at := strings.Index(text, mark); at >= 0 {
			return text[max(0, at-200):min(len(text), at+2000)]
		}
	}
	return ""
}
