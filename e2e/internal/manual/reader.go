package manual

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// patience bounds every wait. It is far above what any command needs.
const patience = 45 * time.Second

// Reader follows pages with one shell, which keeps what runs in the
// background and the variables of earlier blocks.
type Reader struct {
	ports  Ports
	dir    string // where files are written and commands run
	notes  string // where commands and their outputs are
	shell  *exec.Cmd
	orders io.WriteCloser
	done   chan string // the status of each block, as the shell says it
	exited chan struct{}
	n      int
}

// NewReader starts a shell in a folder, with another folder first on its PATH.
// It has to be closed.
func NewReader(dir, notes, bin string, ports Ports) (*Reader, error) {
	r := &Reader{ports: ports, dir: dir, notes: notes, done: make(chan string, 1), exited: make(chan struct{})}
	r.shell = exec.Command("sh", "-eu")
	r.shell.Dir = dir
	r.shell.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "LC_ALL=C")
	// A group of its own, so that what is left in the background ends with it.
	r.shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	say, heard, err := statusPipe(r.shell)
	if err != nil {
		return nil, err
	}
	defer heard.Close()
	if r.orders, err = r.shell.StdinPipe(); err != nil {
		return nil, err
	}
	if err := r.shell.Start(); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(r.orders, "trap : TERM\n"); err != nil { // what it starts is not bound by that
		return nil, err
	}
	go func() {
		_ = r.shell.Wait() // a command that failed says so in its output
		close(r.exited)
	}()
	go func() {
		defer say.Close()
		for s := bufio.NewScanner(say); s.Scan(); {
			r.done <- s.Text()
		}
	}()
	return r, nil
}

// statusPipe gives a shell a third descriptor to say its status to.
func statusPipe(shell *exec.Cmd) (read, write *os.File, err error) {
	if read, write, err = os.Pipe(); err == nil {
		shell.ExtraFiles = []*os.File{write}
	}
	return read, write, err
}

// Follow does what one block says; next is the one after it, or nil.
func (r *Reader) Follow(b Block, next *Block) error {
	switch {
	case b.File != "":
		return os.WriteFile(filepath.Join(r.dir, b.File), []byte(r.ports.Real(b.Text)), 0o600)
	case b.Kind != "sh":
		return nil
	}
	var promised *string
	if next != nil && next.Kind == "text" {
		promised = &next.Text
	}
	return r.run(b.Text, promised)
}

var background = regexp.MustCompile(`(?m)&$`)

func (r *Reader) run(commands string, promised *string) error {
	r.n++
	script, output := filepath.Join(r.notes, fmt.Sprint(r.n, ".sh")), filepath.Join(r.notes, fmt.Sprint(r.n, ".out"))
	if err := os.WriteFile(script, []byte(r.ports.Real(commands)), 0o600); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(r.orders, "{ . %s; } </dev/null >%s 2>&1 3>&-; echo done >&3\n", script, output) // a shell that has ended is noticed below
	late := time.After(patience)
	select {
	case <-r.done:
	case <-r.exited:
		return fmt.Errorf("the commands fail, having printed\n%s", r.printed(output))
	case <-late:
		return fmt.Errorf("the commands do not end; so far they printed\n%s", r.printed(output))
	}
	fulfilled := func() bool { return promised == nil || Matches(*promised, r.printed(output)) }
	if background.MatchString(commands) {
		if err := r.listening(commands, late); err != nil {
			return fmt.Errorf("%w; it printed\n%s", err, r.printed(output))
		}
		until(late, fulfilled)
	}
	if !fulfilled() {
		return fmt.Errorf("the page promises\n%s\nand the commands print\n%s", *promised, r.printed(output))
	}
	return nil
}

// printed is an output so far, as it would be with the page's ports.
func (r *Reader) printed(output string) string {
	text, err := os.ReadFile(output)
	if err != nil {
		return err.Error()
	}
	return r.ports.Named(string(text))
}

// listening waits until somebody listens at every port that commands name, or
// the files that they name: a reader is slower than what starts in the
// background.
func (r *Reader) listening(commands string, late <-chan time.Time) error {
	about := r.ports.Real(commands)
	for word := range strings.FieldsSeq(commands) {
		if text, err := os.ReadFile(filepath.Join(r.dir, word)); err == nil {
			about += string(text)
		}
	}
	for real, named := range r.ports.named {
		if !regexp.MustCompile(`\b` + real + `\b`).MatchString(about) {
			continue
		}
		if !until(late, func() bool {
			c, err := net.Dial("tcp", "127.0.0.1:"+real)
			if err == nil {
				_ = c.Close()
			}
			return err == nil
		}) {
			return fmt.Errorf("nobody listens at port %s", named)
		}
	}
	return nil
}

// until waits for a condition, and reports whether it holds.
func until(late <-chan time.Time, done func() bool) bool {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !done() {
		select {
		case <-again.C:
		case <-late:
			return false
		}
	}
	return true
}

// Close ends everything that the page has started.
func (r *Reader) Close() {
	group := -r.shell.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM) // the shell itself does not heed it
	_, _ = io.WriteString(r.orders, "wait || wait\n")
	_ = r.orders.Close()
	select {
	case <-r.exited:
	case <-time.After(patience):
	}
	_ = syscall.Kill(group, syscall.SIGKILL) // as a rule there is nobody left
	<-r.exited
}
