package proxy

import (
	"context"
	"os"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/watch"
)

// Signalled loads the configuration again at every signal, until ctx ends.
// What has come of it is logged, and in /status.
func (p *Proxy) Signalled(ctx context.Context, again <-chan os.Signal) {
	for {
		select {
		case <-again:
			_ = p.Reload()
		case <-ctx.Done():
			return
		}
	}
}

// Watch loads the configuration again whenever its file has changed, or one of
// those that it names, until ctx ends.
func (p *Proxy) Watch(ctx context.Context, file string) error {
	w, err := watch.New(p.files(file))
	if err != nil {
		return err
	}
	p.reloads.watching(file, true)
	go func() {
		defer w.Close()
		defer p.reloads.watching(file, false)
		err := w.Run(ctx, func() []string {
			_ = p.Reload()
			return p.files(file)
		})
		if err != nil {
			p.log.Error("the configuration is no longer watched; SIGHUP still loads it", "err", err.Error())
		}
	}()
	return nil
}

// files are the file of the configuration, those that the one in force names, and
// those that it names itself if it was refused: mending one of them may be all
// that it needs.
func (p *Proxy) files(own string) []string {
	all := append(p.table.Load().config.Files(), own)
	if p.reloads.view().Fault != "" {
		all = append(all, config.Named(own)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// watching notes whether a file is watched.
func (r *reloads) watching(file string, is bool) {
	r.state.Lock()
	defer r.state.Unlock()
	r.last.File, r.last.Watching = file, is
}
