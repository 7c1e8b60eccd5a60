package watch

import (
	"context"
	"fmt"
	"path/filepath"
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

// New returns a watcher of files, which need not exist, in directories that
// do.
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
// not been watched while their files were read.
func (w *Watcher) check(changed func() []string) error {
	now := FingerprintOf(w.files...)
	if now == w.last {
		return nil
	}
	w.last = now
	for {
		files := changed()
		before := w.files
		more, err := w.follow(files)
		if err != nil {
			return err
		}
		if !slices.Equal(before, w.files) {
			w.last = Fingerprint{} // not known from before they were read: the next event counts
		}
		if !more {
			return nil
		}
	}
}

// follow watches the directories of files, and of no others, and reports
// whether one of them is new.
func (w *Watcher) follow(files []string) (more bool, err error) {
	wanted := map[string]bool{}
	for _, name := range files {
		wanted[filepath.Dir(name)] = true
	}
	for _, dir := range w.events.WatchList() {
		if !wanted[dir] {
			_ = w.events.Remove(dir) // it may be gone already
		}
		delete(wanted, dir)
	}
	for dir := range wanted {
		if err := w.events.Add(dir); err != nil {
			return false, fmt.Errorf("watch: %s: %w", dir, err)
		}
		more = true
	}
	w.files = slices.Clone(files)
	return more, nil
}
