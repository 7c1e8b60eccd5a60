package capture

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is what is written to.
type file interface {
	io.WriteCloser
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
}

// storage is where files are.
type storage interface {
	// create makes an empty file that only its owner may read. What is there
	// under its name goes aside, of which no more than keep stay.
	create(name string, keep int) (file, error)
	// is reports whether a file is still the one of a name, and no shorter.
	is(name string, f file, size int64) bool
}

// disk is the file system.
type disk struct{}

func (disk) create(name string, keep int) (file, error) {
	if err := moveAside(name, keep); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if taken(f) {
		return nil, errors.Join(errTaken, f.Close())
	}
	return f, nil
}

var errTaken = errors.New("another process records into it")

func (disk) is(name string, f file, size int64) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(ours, there) && there.Size() >= size
}

// stamp is how the name of a file that went aside says when it was last written.
const stamp = "-20060102T150405.000Z"

// moveAside gives the file of a name another one, unless it has no record: then
// it is deleted, as nothing is lost with it.
func moveAside(name string, keep int) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file but %s", name, info.Mode().Type())
	}
	empty, err := recordless(name, info.Size())
	switch {
	case err != nil:
		return err
	case empty:
		return os.Remove(name)
	}
	base, ext := split(name)
	for at := info.ModTime().UTC(); ; at = at.Add(time.Millisecond) {
		aside := base + at.Format(stamp) + ext
		if _, err := os.Lstat(aside); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Rename(name, aside); err != nil {
			return err
		}
		return prune(name, keep)
	}
}

// recordless reports whether a file, which no process writes, has nothing but a
// header row.
func recordless(name string, size int64) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if taken(f) {
		return false, errTaken
	}
	if size > int64(len(headerRow)) {
		return false, nil
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(len(headerRow))+1))
	return len(text) == 0 || string(text) == headerRow, err
}

// headerRow is what the file of a capture begins with that is CSV.
const headerRow = "time,class,level,tenant,deadline,cost,kind,service\n"

// prune deletes the oldest of the files that have gone aside, as far as they are
// more than keep.
func prune(name string, keep int) error {
	all, err := goneAside(name)
	if err != nil {
		return err
	}
	for _, old := range all[:max(0, len(all)-keep)] {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// goneAside returns the files of a capture that have gone aside, the oldest first.
// The name of each has when it was last written: trace.csv has become
// trace-20060102T150405.000Z.csv.
func goneAside(name string) ([]string, error) {
	dir, own := filepath.Split(name)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	base, ext := split(own)
	var all []string
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name(), base)
		if !ok {
			continue
		}
		if middle, ok = strings.CutSuffix(middle, ext); !ok || !e.Type().IsRegular() {
			continue
		}
		if _, err := time.Parse(stamp, middle); err == nil {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(all)
	return all, nil
}

func split(name string) (base, ext string) {
	ext = filepath.Ext(name)
	return strings.TrimSuffix(name, ext), ext
}
