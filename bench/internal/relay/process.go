package relay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// Possible says why nothing can be measured here; nil if it can.
func Possible() error {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		return errors.New("the processor time of another process is known on Linux only")
	}
	return nil
}

// process is one of the parts.
type process struct {
	name  string
	cmd   *exec.Cmd
	in    io.Closer
	Addr  string
	admin string // where it says what it allocated
}

var addresses = regexp.MustCompile(`listen=(\S+) admin=(\S+)`)

// start starts a program and waits until it says where it listens.
func start(name, path string, args ...string) (*process, error) {
	p := &process{name: name, cmd: exec.Command(path, args...)}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.in, p.cmd.Stdout, p.cmd.Stderr = in, w, w
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	_ = w.Close() // the child has its own
	lines := bufio.NewScanner(r)
	var said strings.Builder
	for lines.Scan() {
		if m := addresses.FindStringSubmatch(lines.Text()); m != nil {
			p.Addr, p.admin = m[1], m[2]
			go func() { _, _ = io.Copy(io.Discard, r) }()
			return p, nil
		}
		said.WriteString(lines.Text() + "\n")
	}
	return nil, fmt.Errorf("%s ended before it listened: %w\n%s", name, p.cmd.Wait(), said.String())
}

// end ends the process.
func (p *process) end() {
	_ = p.in.Close()
	_ = p.cmd.Process.Signal(os.Interrupt)
	_ = p.cmd.Wait() // how it ends is of no account
}

// cpu is the processor time that the process has used.
func (p *process) cpu() (time.Duration, error) {
	used, err := meter.OfProcess(p.cmd.Process.Pid)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.name, err)
	}
	return used, nil
}

// allocated is the number of objects that the process has allocated.
func (p *process) allocated() (uint64, error) {
	path := "/metrics"
	if p.admin == p.Addr {
		path = "/allocations"
	}
	text, err := p.get(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, mallocs+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return uint64(n), err
		}
	}
	return 0, fmt.Errorf("%s does not say what it allocated", p.name)
}

// get asks the process about itself.
func (p *process) get(path string) (string, error) {
	resp, err := http.Get("http://" + p.admin + path)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// Build builds the program into a folder and returns its path.
func Build(ctx context.Context, folder string) (string, error) {
	path := filepath.Join(folder, "plimsoll")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/plimsoll-go/plimsoll/cmd/plimsoll").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
}
