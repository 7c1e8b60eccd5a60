package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A change is told of when nothing has happened for settled, and at the latest
// when mostWait has passed since it began.
const (
	settled  = 100 * time.Millisecond
	mostWait = time.Second
)

// Watcher watches files. Make one with [New].
type Watcher struct {
	events *fsnotify.Watcher
	files  []string
	last   Fingerprint // of files, as they were told of
}

// New returns a watcher of files. They need not exist, nor the directories that
// they are to be in.
func New(files []string) (*Watcher, error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	w := &Watcher{events: events}
	if _, err := w.follow(files); err != nil {
		_ = events.Close()
		return nil, err
	}
	w.last = FingerprintOf(w.files...)
	return w, nil
}

// Close stops watching.
func (w *Watcher) Close() error { return w.events.Close() }

// Run calls changed whenever a file has another content, until ctx ends. What
// changed returns is what is watched from then on.
func (w *Watcher) Run(ctx context.Context, changed func() (files []string)) error {
	var due <-chan time.Time // nil: nothing has happened
	var since time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.events.Events:
			if !ok {
				return nil
			}
			if e.Op == fsnotify.Chmod {
				continue
			}
		case _, ok := <-w.events.Errors: // events were lost: anything may have happened
			if !ok {
				return nil
			}
		case <-due:
			due = nil
			if err := w.check(changed); err != nil {
				return err
			}
			continue
		}
		if due == nil {
			since = time.Now()
		}
		due = time.After(min(settled, mostWait-time.Since(since)))
	}
}

// check tells of a change, and again as long as directories come up that had
// not been watched while their files were read. Directories are looked at
// first: one that was exchanged for another is watched by its name no more.
func (w *Watcher) check(changed func() []string) error {
	if _, err := w.follow(w.files); err != nil {
		return err
	}
	if FingerprintOf(w.files...) == w.last {
		return nil
	}
	for {
		w.last = FingerprintOf(w.files...)
		files := changed()
		same := slices.Equal(files, w.files)
		more, err := w.follow(files)
		if err != nil {
			return err
		}
		if !same {
			w.last = Fingerprint{} // not known from before they were read: the next event counts
		}
		if !more || same && FingerprintOf(w.files...) == w.last {
			return nil
		}
	}
}

// mostRounds bounds how often directories are looked for that come and go
// meanwhile. What happens in the last ones makes an event.
const mostRounds = 10

// follow watches the directories on the way to files, and no others, and
// reports whether one of them is new.
func (w *Watcher) follow(files []string) (more bool, err error) {
	w.files = slices.Clone(files)
	for range mostRounds {
		again, err := w.turn()
		if err != nil {
			return more, err
		}
		if !again {
			break
		}
		more = true
	}
	return more, nil
}

// turn watches the directories that are on the way now, and reports whether
// one of them is new: the way may have changed before it was watched.
func (w *Watcher) turn() (again bool, err error) {
	wanted := map[string]bool{} // true: there is no watching a file without it
	for _, name := range w.files {
		for _, p := range places(name) {
			wanted[p.dir] = wanted[p.dir] || p.own
		}
	}
	for _, dir := range w.events.WatchList() {
		if _, ok := wanted[dir]; !ok {
			_ = w.events.Remove(dir) // it may be gone already
		}
		delete(wanted, dir)
	}
	for dir, needed := range wanted {
		switch err := w.events.Add(dir); {
		case err == nil, errors.Is(err, fs.ErrNotExist):
			again = true
		case needed || !errors.Is(err, fs.ErrPermission):
			return false, fmt.Errorf("watch: %s: %w", dir, err)
		}
	}
	return again, nil
}
