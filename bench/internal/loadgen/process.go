package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// The cores: of the generator that is measured, and of the server. Most interrupts
// go to the first, and would be measured as the generator's slip.
const (
	generatorCore = "1"
	serverCore    = "0"
)

// Possible says why nothing can be measured here; nil if it can.
func Possible() error {
	if runtime.GOOS != "linux" {
		return errors.New("a process can be confined to a core on Linux only")
	}
	if runtime.NumCPU() < 2 {
		return errors.New("want two cores, one for the generator and one for the server")
	}
	if _, err := exec.LookPath("taskset"); err != nil {
		return errors.New("want taskset, which confines a process to a core (Debian: util-linux)")
	}
	return nil
}

// confinedTo are the arguments with which taskset becomes a program that runs on
// a core.
func confinedTo(core, path string, args ...string) []string {
	return append([]string{"-c", core, path}, args...)
}

// confined is a command that runs on a core.
func confined(core, path string, args ...string) *exec.Cmd {
	return exec.Command("taskset", confinedTo(core, path, args...)...)
}

// overtime is how much longer than its schedule a run may take. A generator that
// falls behind can take very long to its end.
const overtime = 5 * time.Second

// errOvertime is of a run that was ended.
var errOvertime = errors.New("it took far longer than its schedule")

// run runs a generator of a schedule to its end and returns the processor time
// that it used. Codes are the exit codes that are right beside 0.
func run(cmd *exec.Cmd, length time.Duration, codes ...int) (cpu time.Duration, err error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	over := time.AfterFunc(length+overtime, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case !over.Stop():
		return cpu, errOvertime
	case err != nil && !slices.Contains(codes, cmd.ProcessState.ExitCode()):
		return cpu, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said.String())
	}
	return cpu, nil
}

// Server is the server's process.
type Server struct{ *process.Process }

// StartServer starts a program that does what [ServerCommand] says.
func StartServer(self string) (*Server, error) {
	p, err := process.Start("taskset", confinedTo(serverCore, self, ServerCommand)...)
	if err != nil {
		return nil, fmt.Errorf("the server: %w", err)
	}
	return &Server{p}, nil
}

// url is where it is.
func (s *Server) url() string { return "http://" + s.Address + "/" }
