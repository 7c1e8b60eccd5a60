package loadgen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Plimsoll's name.
const Plimsoll = "plimsoll load"

// invalid is the exit code of a run that did not keep its schedule.
const invalid = 3

// NewPlimsoll is the program, which notes its results in a folder.
func NewPlimsoll(program, folder string) Generator {
	file := filepath.Join(folder, "plimsoll.json")
	return Generator{Name: Plimsoll, play: func(url string, rate int, length time.Duration) (Trial, error) {
		_ = os.Remove(file)
		cpu, err := run(confined(generatorCore, program, "load", url, "--rate", fmt.Sprintf("%d/s", rate), "--arrivals", "constant",
			"--for", length.String(), "--quiet", "--json", file), length, invalid)
		if err != nil {
			return Trial{}, err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return Trial{}, err
		}
		t := Trial{Wall: length, CPU: cpu}
		return t, t.readPlimsoll(text)
	}}
}

// readPlimsoll reads a result.
func (t *Trial) readPlimsoll(text []byte) error {
	var r struct {
		All struct {
			Offered, Good int
			Slip          struct {
				P99 float64 `json:"p99_ms"`
			}
		}
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%s: %w", Plimsoll, err)
	}
	t.Due, t.Done = r.All.Offered, r.All.Good
	t.Slip = time.Duration(r.All.Slip.P99 * float64(time.Millisecond))
	return nil
}
