package watch

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// patience bounds every wait of these tests: none of them expects to get near
// it.
const patience = 30 * time.Second

// told is a watcher that runs, and what it tells.
type told struct {
	testing.TB
	times chan struct{}
	files chan []string // what is watched from the next time on
}

func run(t *testing.T, files ...string) *told {
	t.Helper()
	w, err := New(files)
	if err != nil {
		t.Fatal(err)
	}
	out := &told{TB: t, times: make(chan struct{}, 100), files: make(chan []string, 1)}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- w.Run(ctx, func() []string {
			select {
			case files = <-out.files:
			default:
			}
			out.times <- struct{}{}
			return files
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return out
}

// once waits until it has told of a change.
func (o *told) once(what string) {
	o.Helper()
	select {
	case <-o.times:
	case <-time.After(patience):
		o.Fatalf("not told of %s", what)
	}
}

// never waits for longer than a change takes to be told of.
func (o *told) never(what string) {
	o.Helper()
	select {
	case <-o.times:
		o.Errorf("told of %s", what)
	case <-time.After(3 * settled):
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestContentsCount(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "proxy.yaml")
	write(t, file, "a")
	o := run(t, file)
	write(t, filepath.Join(dir, "other"), "b")
	o.never("another file")
	write(t, file, "a")
	o.never("the same content")
	must(t, os.Chmod(file, 0o640))
	o.never("other rights")
	write(t, file, "b")
	o.once("a file that was written")
	replacement := filepath.Join(dir, "new")
	write(t, replacement, "c")
	must(t, os.Rename(replacement, file))
	o.once("a file that was replaced")
	must(t, os.Remove(file))
	o.once("a file that was removed")
	write(t, file, "d")
	o.once("a file that came back")
}

// Kubernetes mounts a ConfigMap as links to ..data, which is a link to a
// folder, and exchanges the latter.
func TestConfigMap(t *testing.T) {
	dir := t.TempDir()
	publish := func(version, content string) {
		t.Helper()
		must(t, os.Mkdir(filepath.Join(dir, version), 0o700))
		write(t, filepath.Join(dir, version, "proxy.yaml"), content)
		link := filepath.Join(dir, "..data_tmp")
		must(t, os.Symlink(version, link))
		must(t, os.Rename(link, filepath.Join(dir, "..data")))
	}
	publish("..2026_01", "a")
	file := filepath.Join(dir, "proxy.yaml")
	must(t, os.Symlink("..data/proxy.yaml", file))
	o := run(t, file)
	publish("..2026_02", "b")
	o.once("another version")
	publish("..2026_03", "b")
	o.never("a version with the same content")
}

func TestManyWritesAreOneChange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "proxy.yaml")
	o := run(t, file)
	began := time.Now()
	for i := range 50 {
		write(t, file, string(rune('a'+i%7))+"x")
	}
	most := 1 + int(time.Since(began)/settled) // one, unless they took long
	o.once("fifty writes")
	for n := 2; ; n++ {
		select {
		case <-o.times:
			if n > most {
				t.Fatalf("told %d times, want %d at most", n, most)
			}
		case <-time.After(3 * settled):
			return
		}
	}
}

// What is watched can change with what is read, and what changed before it was
// watched is not missed.
func TestOtherFilesFromThenOn(t *testing.T) {
	file, certificate := filepath.Join(t.TempDir(), "proxy.yaml"), filepath.Join(t.TempDir(), "server.pem")
	write(t, certificate, "a")
	o := run(t, file)
	o.files <- []string{file, certificate}
	write(t, file, "with a certificate")
	o.once("the change")
	o.once("what may have happened meanwhile in the other folder")
	write(t, certificate, "b")
	o.once("the certificate")
	o.files <- []string{file}
	write(t, file, "without one")
	o.once("the change back")
	write(t, certificate, "c")
	o.never("the certificate, which is watched no more")
}

func TestNoFolderNoWatcher(t *testing.T) {
	if _, err := New([]string{filepath.Join(t.TempDir(), "missing", "proxy.yaml")}); err == nil {
		t.Error("no error")
	}
}
