package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Record is where what arrives is written down. The zero value writes nothing.
type Record struct {
	// File ends in .csv or .ndjson. Empty: nothing is written.
	File string
	// MaxSize bounds the file, and Keep is how many full ones stay beside it. Both
	// are above 0.
	MaxSize Bytes
	Keep    int
	// TenantKey is the file with the key of the hash that tenants are written as.
	// Empty: a random one, for as long as the process runs.
	TenantKey string
}

// On reports whether anything is written.
func (r Record) On() bool { return r.File != "" }

// known reports whether the file's name says how it is written.
func (r Record) known() bool {
	ext := filepath.Ext(r.File)
	return ext == ".csv" || ext == ".ndjson"
}

func newRecord() Record { return Record{MaxSize: 64 << 20, Keep: 10} }

var record = object(newRecord,
	member("file", file, func(c *Record) *string { return &c.File },
		"The file, which ends in .csv or .ndjson. One that is there is moved aside.").need("the file to write, such as trace.csv"),
	member("maxSize", size(1<<20, 1<<40), func(c *Record) *Bytes { return &c.MaxSize },
		"How long the file may get. Then it is moved aside, its name has the time, and another is begun."),
	member("keep", number(1, 10_000), func(c *Record) *int { return &c.Keep },
		"How many files that were moved aside stay. The oldest are deleted."),
	member("tenantKey", file, func(c *Record) *string { return &c.TenantKey },
		"A file with the key of the hash that tenants are written as: base64 text, or 32 bytes or more as they are. Absent: a random key, so that nobody can tell who they were once the proxy has ended."),
)

// record checks where what arrives is written.
func (r *reader) record(c Record) {
	if c.On() && !c.known() && r.fine("record.file") {
		r.Want(r.giver("record.file"), "a name that ends in .csv or .ndjson, have %s", c.File)
	}
}

// recordFiles looks at where what arrives is written, and at the key.
func (r *reader) recordFiles(c Record) {
	if c.TenantKey != "" {
		_, err := ReadKey(c.TenantKey)
		r.unusable("record.tenantKey", c.TenantKey, err)
	}
	if c.On() && c.known() && r.fine("record.file") {
		r.unusable("record.file", c.File, writable(c.File))
	}
}

// writable says why there cannot be a file of that name. Whether the disk has
// room is another matter: it may have some later.
func writable(name string) error {
	info, err := os.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("it is no file")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return strict.Cause(err)
	}
	dir, err := os.Stat(filepath.Dir(name))
	if err == nil && !dir.IsDir() {
		return fmt.Errorf("%s is no folder", filepath.Dir(name))
	}
	return strict.Cause(err)
}

// readRecord reads the file that a command line names, relative to where that
// was given.
func readRecord(r *reader, v strict.Value, c *Config) {
	if !c.Record.On() {
		c.Record = newRecord()
	}
	dir := r.dir
	r.dir = ""
	r.readAs("record.file", v, func() { file.read(r, v, &c.Record.File) })
	r.dir = dir
}
