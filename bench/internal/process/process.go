package process

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
	"syscall"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// Process is a running part. One that was made with an address only is no
// process of ours: it uses nothing, and does not end.
type Process struct {
	Address string // host:port at which it takes requests
	Admin   string // host:port at which it is asked about itself, or none
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

// Announce says for [Start] where a part listens. Admin is none where it is not
// asked about itself.
func Announce(out io.Writer, address, admin string) error {
	_, err := fmt.Fprintf(out, "listen=%s admin=%s\n", address, admin)
	return err
}

// addresses is what Announce writes, and what plimsoll logs.
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
	_ = r.Close()
	p.Stop()
	return nil, fmt.Errorf("%s ended before it listened, or took too long:\n%s", path, &p.said)
}

// StartAt starts a program that listens at a given address and does not say
// when.
func StartAt(ctx context.Context, address, path string, args ...string) (*Process, error) {
	p, r, err := launch(path, args...)
	if err != nil {
		return nil, err
	}
	kept := make(chan struct{})
	go func() {
		p.keep(r)
		close(kept)
	}()
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
			select {
			case <-kept: // unless what it has started still holds its output
			case <-ctx.Done():
			}
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

// CPU is the processor time that the process alone has used, without what it
// has started.
func (p *Process) CPU() (time.Duration, error) { return meter.OfProcess(p.cmd.Process.Pid) }

// TreeCPU is the processor time that the process and all that it has started
// have used, less exactly than CPU says it.
func (p *Process) TreeCPU() (time.Duration, error) {
	if p.cmd == nil {
		return 0, nil
	}
	return meter.OfTree(p.cmd.Process.Pid)
}
