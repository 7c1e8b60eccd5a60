package overload

import (
	"context"
	"errors"

	"github.com/alibaba/sentinel-golang/api"
	"github.com/alibaba/sentinel-golang/core/base"
	"github.com/alibaba/sentinel-golang/core/config"
	"github.com/alibaba/sentinel-golang/core/system"
	"github.com/alibaba/sentinel-golang/logging"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/go-kratos/aegis/ratelimit"
	"github.com/go-kratos/aegis/ratelimit/bbr"
	"github.com/zeromicro/go-zero/core/load"
	"github.com/zeromicro/go-zero/core/logx"
	"github.com/zeromicro/go-zero/core/stat"

	"github.com/plimsoll-go/plimsoll"
)

// guard does work, or says that it was refused.
type guard func(ctx context.Context, work func(context.Context) error) error

// errRefused is what a guard returns when it has not done the work.
var errRefused = errors.New("refused")

// policy is what can stand in front of a backend.
type policy struct {
	name  string
	start func() (guard, error)
}

// Plimsoll and Nothing are the names of two policies.
const (
	Plimsoll = "plimsoll"
	Nothing  = "none"
)

// policies are the limiters, each as its documentation shows it.
var policies = []policy{
	{Plimsoll, startPlimsoll},
	{"failsafe-go 0.9.8, adaptive limiter, queueing", startFailsafe},
	{"go-kratos/aegis 0.2.0, BBR", startAegis},
	{"go-zero 1.10.3, adaptive shedder", startZero},
	{"sentinel-golang 1.0.4, system rule, BBR", startSentinel},
	{Nothing, func() (guard, error) {
		return func(ctx context.Context, work func(context.Context) error) error { return work(ctx) }, nil
	}},
}

// Quiet stops what go-zero logs once a minute in every program that links it.
func Quiet() {
	logx.Disable()
	stat.DisableLog()
	load.DisableLog()
}

func startPlimsoll() (guard, error) {
	g, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, work func(context.Context) error) error {
		err := g.Do(ctx, plimsoll.Work{}, work)
		if r := (*plimsoll.Refusal)(nil); errors.As(err, &r) {
			return errRefused
		}
		return err
	}, nil
}

// startFailsafe has the factors that failsafe-go's documentation shows.
func startFailsafe() (guard, error) {
	l := adaptivelimiter.NewBuilder[any]().WithQueueing(2, 3).Build()
	executor := failsafe.With(l)
	return func(ctx context.Context, work func(context.Context) error) error {
		err := executor.WithContext(ctx).RunWithExecution(func(e failsafe.Execution[any]) error { return work(e.Context()) })
		if errors.Is(err, adaptivelimiter.ErrExceeded) {
			return errRefused
		}
		return err
	}, nil
}

func startAegis() (guard, error) {
	l := bbr.NewLimiter()
	return func(ctx context.Context, work func(context.Context) error) error {
		done, err := l.Allow()
		if err != nil {
			return errRefused
		}
		err = work(ctx)
		done(ratelimit.DoneInfo{Err: err})
		return err
	}, nil
}

// startZero reports as go-zero's own handler does: what has run out of time has
// failed.
func startZero() (guard, error) {
	l := load.NewAdaptiveShedder()
	return func(ctx context.Context, work func(context.Context) error) error {
		p, err := l.Allow()
		if err != nil {
			return errRefused
		}
		if err = work(ctx); err != nil {
			p.Fail()
		} else {
			p.Pass()
		}
		return err
	}, nil
}

// startSentinel has a rule for all that is inbound, as sentinel's own example
// has it but for the processor in place of the machine's load average, which
// takes a minute to tell.
func startSentinel() (guard, error) {
	c := config.NewDefaultConfig()
	c.Sentinel.Log.Metric.FlushIntervalSec = 0
	c.Sentinel.Log.Logger = logging.NewConsoleLogger()
	logging.ResetGlobalLoggerLevel(logging.ErrorLevel)
	if err := api.InitWithConfig(c); err != nil {
		return nil, err
	}
	rules := []*system.Rule{{MetricType: system.CpuUsage, TriggerCount: 0.8, Strategy: system.BBR}}
	if _, err := system.LoadRules(rules); err != nil {
		return nil, err
	}
	return func(ctx context.Context, work func(context.Context) error) error {
		e, blocked := api.Entry("backend", api.WithTrafficType(base.Inbound))
		if blocked != nil {
			return errRefused
		}
		err := work(ctx)
		e.Exit(base.WithError(err))
		return err
	}, nil
}
