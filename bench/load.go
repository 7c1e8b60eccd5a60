package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/loadgen"
	"github.com/plimsoll-go/plimsoll/bench/internal/process"
	"github.com/plimsoll-go/plimsoll/bench/internal/report"
)

const (
	// paced is the rate, a second, at which slip and cost are measured: half of
	// what a generator has to keep on one core.
	paced = 6000
	// loadScale is how many times as long as a sample a run is: long enough that
	// starting a process costs little beside it.
	loadScale = 250
)

// loadRounds is how often the highest rate of each is looked for.
func (p plan) loadRounds() int { return max(1, p.pairs/40) }

// measureLoad adds load generators.
func (p plan) measureLoad(r *report.Report) error {
	if err := loadgen.Possible(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	all, err := contenders(folder)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	series := make([]report.LoadSeries, len(all))
	for i, g := range all {
		series[i].Name, series[i].Closed = g.Name, g.Closed
	}
	order := rand.New(rand.NewPCG(1, 2))
	for range p.loadRounds() {
		for _, i := range order.Perm(len(all)) {
			progress(all[i].Name)
			if err := p.loadTurn(self, all[i], &series[i]); err != nil {
				return fmt.Errorf("%s: %w", all[i].Name, err)
			}
		}
	}
	r.LoadRounds, r.Paced, r.Loads = p.loadRounds(), paced, report.CompareLoads(series)
	return nil
}

// contenders are Plimsoll, and those that can be had here.
func contenders(folder string) ([]loadgen.Generator, error) {
	program, err := process.Build(context.Background(), folder)
	if err != nil {
		return nil, err
	}
	all := []loadgen.Generator{loadgen.NewPlimsoll(program, folder)}
	if program, err := loadgen.BuildVegeta(folder); err != nil {
		progress("no vegeta: " + err.Error())
	} else {
		all = append(all, loadgen.NewVegeta(program, folder))
	}
	if program, err := loadgen.FindWrk(); err != nil {
		progress("no wrk: " + err.Error())
	} else {
		all = append(all, loadgen.NewWrk(program))
	}
	return all, nil
}

// loadTurn measures one generator once, against a server of its own.
func (p plan) loadTurn(self string, g loadgen.Generator, into *report.LoadSeries) error {
	server, err := loadgen.StartServer(self)
	if err != nil {
		return err
	}
	defer server.Stop()
	length := loadScale * p.sample
	var best loadgen.Trial
	if g.Closed {
		if best, err = g.Play(server, 0, length); err != nil {
			return err
		}
		into.Rate = append(into.Rate, best.Rate())
	} else {
		rate, err := loadgen.Highest(paced/2, func(rate int) (bool, error) {
			t, err := g.Play(server, rate, length)
			if err == nil && t.Kept() {
				best = t
			}
			return t.Kept(), err
		})
		if err != nil {
			return err
		}
		half, err := p.pacedTrial(server, g, 2*length)
		if err != nil {
			return err
		}
		into.Rate = append(into.Rate, float64(rate))
		into.Slip = append(into.Slip, float64(half.Slip)/float64(time.Millisecond))
		into.PacedCPUs = append(into.PacedCPUs, micros(half))
		into.Kept = append(into.Kept, float64(half.Done)/float64(half.Due))
	}
	into.CPU, into.Server = append(into.CPU, micros(best)), append(into.Server, best.Server)
	return nil
}

// pacedTrial is a run at the paced rate. One that is not kept is tried again, as
// in the search for the highest.
func (p plan) pacedTrial(s *loadgen.Server, g loadgen.Generator, length time.Duration) (t loadgen.Trial, err error) {
	for range 3 {
		if t, err = g.Play(s, paced, length); err != nil || t.Kept() {
			break
		}
	}
	return t, err
}

func micros(t loadgen.Trial) float64 { return float64(t.PerRequest()) / float64(time.Microsecond) }
