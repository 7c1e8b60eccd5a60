package strict

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxFile bounds a file that is read, in bytes.
const maxFile = 1 << 20

// ReadFile reads a file of a bounded size. What keeps it from that is a fault.
func (r *Reader) ReadFile(name string) (data []byte, ok bool) {
	data, err := Contents(name)
	if err != nil {
		r.Want(Value{File: name}, "a file that can be read: %s", err)
	}
	return data, err == nil
}

// Contents reads a file of 1 MiB at most. The error does not name it.
func Contents(name string) ([]byte, error) { return ContentsUpTo(name, maxFile) }

// ContentsUpTo reads a file of so many bytes at most, whole MiB. The error does
// not name it.
func ContentsUpTo(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, Cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, Cause(err)
	case int64(len(data)) > most:
		return nil, fmt.Errorf("it is larger than %d MiB", most>>20)
	}
	return data, nil
}

// Cause is an error of the system without what was done to which file: a fault
// names that before it. Any other error stays as it is.
func Cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
