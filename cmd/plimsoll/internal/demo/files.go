package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/section"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Check returns every fault of the files that are to be written. It is asked
// before a minute of running, not after.
func (c *Cmd) Check() error {
	var faults strict.Faults
	fault := func(flag, file string, err error) {
		if err != nil {
			faults = append(faults, strict.Fault{Key: flag, Want: fmt.Sprintf("want a file to write, have %s: %s", file, err)})
		}
	}
	if c.SVG != "" {
		fault("--svg", c.SVG, writable(c.SVG))
	}
	if c.Readme != "" {
		_, err := section.Replaced(c.Readme, mark, "")
		if err == nil {
			err = writable(c.Readme)
		}
		fault("--readme", c.Readme, err)
	}
	if c.Story == storyCheckout && c.Overload < shortest {
		faults = append(faults, strict.Fault{Key: "--overload", Want: fmt.Sprintf("want at least %s, have %s", shortest, c.Overload)})
	}
	if c.Story == storyCheckout && (c.SVG != "" || c.Readme != "") {
		faults = append(faults, strict.Fault{Key: "--story", Want: "want the story overload with --svg and --readme, have checkout"})
	}
	return faults.Err()
}

// shortest is how long the checkout's overload is at least: until before has
// collapsed, and after has settled.
const shortest = 10 * time.Second

// writable tries to open a file for writing and leaves everything as it was.
func writable(file string) error {
	_, err := os.Stat(file)
	fresh := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	err = f.Close()
	if fresh {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// write writes the files that were asked for.
func (c *Cmd) write(r result) error {
	if c.SVG != "" {
		if err := os.WriteFile(c.SVG, []byte(r.svg()), 0o644); err != nil {
			return err
		}
	}
	if c.Readme == "" {
		return nil
	}
	text, err := section.Replaced(c.Readme, mark, r.markdown(c.command()))
	if err != nil {
		return fmt.Errorf("%s: %w", c.Readme, err)
	}
	return os.WriteFile(c.Readme, []byte(text), 0o644)
}

// command is what makes the same files again, at the root of the repository.
func (c *Cmd) command() string {
	var flags []string
	if c.Fast {
		flags = append(flags, "--fast")
	}
	if c.Seed != defaultSeed {
		flags = append(flags, fmt.Sprintf("--seed %d", c.Seed))
	}
	if c.SVG != "" {
		flags = append(flags, "--svg "+c.SVG)
	}
	if c.Readme != "" {
		flags = append(flags, "--readme "+c.Readme)
	}
	return "make demo DEMO_FLAGS='" + strings.Join(flags, " ") + "'"
}
