package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// Wrk's name.
const Wrk = "wrk"

// wrkConnections keep one thread of wrk busy without a queue at the server.
const wrkConnections = "32"

// FindWrk is the path of wrk.
func FindWrk() (string, error) {
	path, err := exec.LookPath(Wrk)
	if err != nil {
		return "", errors.New("want wrk (Debian: apt-get install wrk)")
	}
	return path, nil
}

// NewWrk is the program.
func NewWrk(program string) Generator {
	return Generator{Name: Wrk, Closed: true, play: func(url string, _ int, length time.Duration) (Trial, error) {
		cmd := confined(generatorCore, program, "-t", "1", "-c", wrkConnections, "-d", fmt.Sprintf("%.0fs", max(length.Seconds(), 1)), url)
		var said bytes.Buffer
		cmd.Stdout = &said
		cpu, err := run(cmd, length)
		if err != nil {
			return Trial{}, err
		}
		t := Trial{CPU: cpu}
		return t, t.readWrk(said.Bytes())
	}}
}

var wrkTotal = regexp.MustCompile(`(\d+) requests in ([0-9.]+(?:us|ms|s|m)),`)

// readWrk reads the report of wrk.
func (t *Trial) readWrk(text []byte) (err error) {
	m := wrkTotal.FindSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s: no number of requests in\n%s", Wrk, text)
	}
	if t.Done, err = strconv.Atoi(string(m[1])); err != nil {
		return err
	}
	t.Wall, err = time.ParseDuration(string(m[2]))
	return err
}
