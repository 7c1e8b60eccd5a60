package loadgen

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Vegeta's name and module.
const (
	Vegeta       = "vegeta"
	vegetaModule = "github.com/tsenart/vegeta/v12@v12.13.0"
)

// BuildVegeta builds vegeta's program into a folder and returns its path. It
// comes by way of the module proxy and is no dependency of anything here.
func BuildVegeta(folder string) (string, error) {
	cmd := exec.Command("go", "install", vegetaModule)
	cmd.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", vegetaModule, err, out)
	}
	return filepath.Join(folder, Vegeta), nil
}

// vegetaWorkers is how many requests of vegeta may be on their way. As it comes
// there is no bound, and once it falls behind it makes a connection for every
// request, which keeps it behind: with these it did best here, of 32, 64 and 256.
// With all of them waiting it sends nothing, as a closed loop does.
const vegetaWorkers = "32"

// NewVegeta is the program, which notes its results in a folder.
func NewVegeta(program, folder string) Generator {
	file := filepath.Join(folder, "vegeta.bin")
	return Generator{Name: Vegeta, play: func(url string, rate int, length time.Duration) (Trial, error) {
		cmd := confined(generatorCore, program, "attack", "-rate", fmt.Sprintf("%d/s", rate), "-duration", length.String(), "-max-workers", vegetaWorkers, "-output", file)
		cmd.Stdin = strings.NewReader("GET " + url + "\n")
		cpu, err := run(cmd, length)
		if err != nil {
			return Trial{}, err
		}
		all := exec.Command(program, "encode", "-to", "csv", file)
		out, err := all.StdoutPipe()
		if err != nil {
			return Trial{}, err
		}
		if err := all.Start(); err != nil {
			return Trial{}, err
		}
		t := Trial{Wall: length, CPU: cpu}
		if err := t.readVegeta(out, rate); err != nil {
			_ = all.Process.Kill()
			_ = all.Wait()
			return t, err
		}
		return t, all.Wait()
	}}
}

// hit is one line of vegeta's results.
type hit struct {
	sent   time.Duration
	status string
	number int
}

// readVegeta reads results as CSV: when a request was sent in Unix nanoseconds,
// its status first, its number ninth. The schedule begins so that the request
// that was sent soonest after its time was sent at it.
func (t *Trial) readVegeta(r io.Reader, rate int) error {
	var hits []hit
	lines := csv.NewReader(r)
	lines.FieldsPerRecord, lines.ReuseRecord = -1, true
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && len(fields) < 9 {
			err = fmt.Errorf("%d fields in %.80q, want 9", len(fields), fields)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", Vegeta, err)
		}
		at, err1 := strconv.ParseInt(fields[0], 10, 64)
		n, err2 := strconv.Atoi(fields[8])
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("%s: %w", Vegeta, err)
		}
		hits = append(hits, hit{time.Duration(at), strings.Clone(fields[1]), n})
	}
	t.Due = int(float64(rate)*t.Wall.Seconds() + 0.5)
	late := make([]time.Duration, len(hits)) // by a start that is not known yet
	for i, h := range hits {
		late[i] = h.sent - time.Duration(float64(h.number)/float64(rate)*float64(time.Second))
	}
	if len(late) == 0 {
		return nil
	}
	begin := slices.Min(late)
	for i, h := range hits {
		late[i] -= begin
		if h.status == "200" && h.sent-begin < t.Wall {
			t.Done++
		}
	}
	slices.Sort(late)
	t.Slip = late[(len(late)-1)*99/100]
	return nil
}
