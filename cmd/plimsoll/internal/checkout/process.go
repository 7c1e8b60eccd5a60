package checkout

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// process is one of the services, in a process of its own.
type process struct {
	url string
	cmd *exec.Cmd
	in  io.Closer
}

// start starts this program once more, as one of the services.
func start(ctx context.Context, s Service) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self, s.args()...)}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("the process %s did not come up: %w", s.Role, err)
	}
	p.url = strings.TrimSpace(line)
	return p, nil
}

// args are the command line that makes this program the service.
func (s Service) args() []string {
	args := []string{"demo", "--role=" + s.Role, "--behind=" + s.Behind}
	if s.Quotes {
		args = append(args, "--quotes")
	}
	return args
}

// stop ends it; whoever still waits is cut off.
func (p *process) stop() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// status asks a checkout how it does.
func (p *process) status(ctx context.Context) (s status, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"-/status", nil)
	if err != nil {
		return s, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	return s, json.NewDecoder(resp.Body).Decode(&s)
}

// tier switches a tier, or gives it back.
func (p *process) tier(ctx context.Context, name, mode string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"-/tier/"+name+"/"+mode, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("tier %s %s: %s", name, mode, resp.Status)
	}
	return nil
}
