package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// told is a watcher that runs, and what it tells.
type told struct {
	testing.TB
	of    *Watcher
	times chan struct{}
	files chan []string // what is watched from the next time on
}

func run(t *testing.T, files ...string) *told {
	t.Helper()
	w, err := New(files)
	if err != nil {
		t.Fatal(err)
	}
	out := &told{TB: t, of: w, times: make(chan struct{}, 100), files: make(chan []string, 1)}
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
	case <-time.After(wait.Patience):
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

// quiet waits until nothing is told any more.
func (o *told) quiet() {
	for {
		select {
		case <-o.times:
		case <-time.After(3 * settled):
			return
		}
	}
}

// write makes content that of a file, from one moment to the next: one that was
// emptied first, on a busy machine, would be told of twice. A text that is no
// shorter is written in place, any other replaces the file.
func write(t *testing.T, name, content string) {
	t.Helper()
	if was, err := os.ReadFile(name); err == nil && len(was) <= len(content) {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		must(t, err)
		_, err = f.WriteString(content)
		must(t, errors.Join(err, f.Close()))
		return
	}
	must(t, os.WriteFile(name+".next", []byte(content), 0o600))
	must(t, os.Rename(name+".next", name))
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
	other, err := filepath.EvalSymlinks(filepath.Dir(certificate))
	must(t, err)
	wait.Until(t, "the other folder is watched no more", func() bool { return !slices.Contains(o.of.events.WatchList(), other) }, nil)
	write(t, certificate, "c")
	o.never("the certificate, which is watched no more")
}

// A release is put in force by a link to another folder: current, and then what
// is in it is edited.
func TestLinkOnTheWay(t *testing.T) {
	dir := t.TempDir()
	for _, release := range []string{"1", "2"} {
		must(t, os.Mkdir(filepath.Join(dir, release), 0o700))
		write(t, filepath.Join(dir, release, "proxy.yaml"), release)
	}
	current, next := filepath.Join(dir, "current"), filepath.Join(dir, "next")
	must(t, os.Symlink("1", current))
	o := run(t, filepath.Join(current, "proxy.yaml"))
	must(t, os.Symlink(filepath.Join(dir, "2"), next))
	must(t, os.Rename(next, current))
	o.once("another release")
	write(t, filepath.Join(dir, "2", "proxy.yaml"), "edited")
	o.once("a file of that release")
	write(t, filepath.Join(dir, "1", "proxy.yaml"), "edited")
	o.never("a file of the release before")
}

// A file is a link into another folder, and is edited there.
func TestLinkToAFileElsewhere(t *testing.T) {
	there, file := filepath.Join(t.TempDir(), "there.yaml"), filepath.Join(t.TempDir(), "proxy.yaml")
	write(t, there, "a")
	must(t, os.Symlink(there, file))
	o := run(t, file)
	write(t, there, "b")
	o.once("the file that is linked to")
	must(t, os.Remove(file))
	write(t, file, "c")
	o.once("a file in place of the link")
}

// A folder is removed, and comes back later: watching goes on.
func TestFolderComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "conf", "of", "it")
	file := filepath.Join(dir, "proxy.yaml")
	must(t, os.MkdirAll(dir, 0o700))
	write(t, file, "a")
	o := run(t, file)
	must(t, os.RemoveAll(filepath.Dir(filepath.Dir(dir))))
	o.once("a folder that was removed")
	must(t, os.MkdirAll(dir, 0o700))
	write(t, file, "b")
	o.once("a folder that came back")
	o.quiet() // it may have come back empty first
	write(t, file, "c")
	o.once("the file in it")
}

// A folder is exchanged for a copy of it, which is no change, and is watched
// from then on.
func TestFolderExchanged(t *testing.T) {
	parent := t.TempDir()
	dir, file := filepath.Join(parent, "conf"), filepath.Join(parent, "conf", "proxy.yaml")
	for _, name := range []string{"conf", "copy"} {
		must(t, os.Mkdir(filepath.Join(parent, name), 0o700))
		write(t, filepath.Join(parent, name, "proxy.yaml"), "a")
	}
	o := run(t, file)
	must(t, os.Rename(dir, filepath.Join(parent, "before")))
	must(t, os.Rename(filepath.Join(parent, "copy"), dir))
	o.quiet() // it may have been seen missing
	write(t, file, "b")
	o.once("the file in it")
}

// What is on the way to a file, and what is not there.
func TestPlaces(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700))
	must(t, os.Symlink("a/b", filepath.Join(dir, "to")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	write(t, filepath.Join(dir, "a", "f"), "")
	must(t, os.Symlink(dir+"/to/../f", filepath.Join(dir, "a", "b", "g")))
	for name, want := range map[string][]place{
		"a/f":         {{dir + "/a", true}},
		"a/none":      {{dir + "/a", true}},
		"a/none/none": {{dir + "/a", false}},
		"a/f/none":    {{dir + "/a", false}},
		"to/../f":     {{dir, false}, {dir + "/a", true}},
		"to/g":        {{dir, false}, {dir + "/a/b", true}, {dir, false}, {dir + "/a", false}},
		"to":          {{dir, true}, {dir + "/a", false}},
	} {
		if have := places(dir + "/" + name); !slices.Equal(have, want) {
			t.Errorf("%s: have %v, want %v", name, have, want)
		}
	}
	if have := places(dir + "/loop/f"); len(have) != mostLinks+1 {
		t.Errorf("a loop: %d places", len(have))
	}
}
