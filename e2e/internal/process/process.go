package process

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Patience bounds every wait for a process. It is far above what any needs.
const Patience = time.Minute

// Process is a proxy that runs. Its methods are safe for concurrent use.
type Process struct {
	Listen string // the address of its traffic port, host:port
	Admin  string // the address of its admin port

	cmd    *exec.Cmd
	log    log
	exited chan struct{} // closed when it has ended
	err    error         // how, once exited is closed
}

// Package is the import path of the program.
const Package = "github.com/plimsoll-go/plimsoll/cmd/plimsoll"

// Build builds the program into a folder and returns its path.
func Build(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "plimsoll")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, Package)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// Start starts "plimsoll proxy" with arguments that make it listen at the two
// addresses, and waits until it is ready. It has to be stopped.
func Start(program, listen, admin string, args ...string) (*Process, error) {
	p := &Process{Listen: listen, Admin: admin, exited: make(chan struct{})}
	p.cmd = exec.Command(program, append([]string{"proxy"}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	if err := p.ready(); err != nil {
		p.Kill()
		return nil, err
	}
	return p, nil
}

// ready waits until the admin port says so.
func (p *Process) ready() error {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	vain := time.After(Patience)
	for {
		select {
		case <-p.exited:
			return fmt.Errorf("it has ended (%v) before it was ready:\n%s", p.err, p.tail())
		case <-vain:
			return fmt.Errorf("it is not ready after %s:\n%s", Patience, p.tail())
		case <-again.C:
		}
		if resp, err := http.Get("http://" + p.Admin + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal. One to a process that has ended is an error.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Stop ends the process in order. It is an error if it does not end, if it had
// ended by itself, if its exit status is not 0, and if it has panicked.
func (p *Process) Stop() error {
	select {
	case <-p.exited:
		return fmt.Errorf("it has ended by itself: %v\n%s", p.err, p.tail())
	default:
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.exited:
	case <-time.After(Patience):
		p.Kill()
		return errors.New("it does not end")
	}
	switch traces := p.traces(); {
	case p.err != nil:
		return fmt.Errorf("it ended with %w:\n%s", p.err, p.tail())
	case traces != "":
		return fmt.Errorf("it panicked:\n%s", traces)
	}
	return nil
}

// Kill ends the process at once.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it has ended already
	<-p.exited
}
