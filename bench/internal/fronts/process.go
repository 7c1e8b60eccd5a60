package fronts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// Process is a running front, or another part of a comparison.
type Process struct {
	Address string // host:port at which it takes requests
	Admin   string // host:port at which it is asked about itself; empty: it is not
	cmd     *exec.Cmd
	in      io.Closer
	ended   chan struct{} // closed when it has ended
	said    tail
}

// Limits of the time that a process has to begin, and to end.
const (
	beginsWithin = 10 * time.Second
	endsWithin   = 3 * time.Second
)

// launch starts a program. Both its outputs go to what is returned beside it.
func launch(path string, args ...string) (*Process, io.ReadCloser, error) {
	p := &Process{cmd: exec.Command(path, args...), ended: make(chan struct{})}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	p.in, p.cmd.Stdout, p.cmd.Stderr = in, w, w
	err = p.cmd.Start()
	_ = w.Close() // the child has its own
	if err != nil {
		_ = r.Close()
		return nil, nil, err
	}
	go func() {
		_ = p.cmd.Wait() // how it ends is of no account
		close(p.ended)
	}()
	return p, r, nil
}

var addresses = regexp.MustCompile(`listen=(\S+) admin=(\S+)`)

// Start starts a program and waits until it says where it listens.
func Start(path string, args ...string) (*Process, error) {
	p, r, err := launch(path, args...)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(r)
	late := time.AfterFunc(beginsWithin, func() { p.Stop() })
	defer late.Stop()
	for lines.Scan() {
		if m := addresses.FindStringSubmatch(lines.Text()); m != nil {
			p.Address, p.Admin = m[1], m[2]
			go p.keep(r)
			return p, nil
		}
		p.said.write(lines.Text() + "\n")
	}
	p.Stop()
	return nil, fmt.Errorf("%s ended before it listened, or took too long:\n%s", path, &p.said)
}

// startAt starts a program that listens at a given address and does not say
// when.
func startAt(ctx context.Context, address, path string, args ...string) (*Process, error) {
	p, r, err := launch(path, args...)
	if err != nil {
		return nil, err
	}
	go p.keep(r)
	p.Address = address
	ctx, cancel := context.WithTimeout(ctx, beginsWithin)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return p, conn.Close()
		}
		select {
		case <-p.ended:
			return nil, fmt.Errorf("%s ended before it listened:\n%s", path, &p.said)
		case <-ctx.Done():
			p.Stop()
			return nil, errors.Join(fmt.Errorf("%s does not listen at %s:\n%s", path, address, &p.said), ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// keep keeps the end of what the process says.
func (p *Process) keep(r io.ReadCloser) {
	defer r.Close()
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		p.said.write(lines.Text() + "\n")
	}
}

// Stop ends the process, and waits until it has ended.
func (p *Process) Stop() {
	if p.cmd == nil {
		return
	}
	_ = p.in.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(endsWithin):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// Said is the end of what the process has said, for faults.
func (p *Process) Said() string { return p.said.String() }

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

// freeAddress is a loopback address at which nobody listens now.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// CPU is the processor time that a front's processes have used. 0 of [Nothing].
func (p *Process) CPU() (time.Duration, error) {
	if p.cmd == nil {
		return 0, nil
	}
	return meter.OfTree(p.cmd.Process.Pid)
}
