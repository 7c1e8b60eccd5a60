package scenario

import (
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/limit"
)

var autoKeys = []field[limit.AutoConfig]{
	{"min", "", func(r *reader, v strict.Value, c *limit.AutoConfig) { r.count(v, &c.Min) }},
	{"max", "", func(r *reader, v strict.Value, c *limit.AutoConfig) { r.count(v, &c.Max) }},
	{"initial", "", func(r *reader, v strict.Value, c *limit.AutoConfig) { r.count(v, &c.Initial) }},
}

var aimdKeys = []field[limit.AIMDConfig]{
	{"min", "", func(r *reader, v strict.Value, c *limit.AIMDConfig) { r.count(v, &c.Min) }},
	{"max", "", func(r *reader, v strict.Value, c *limit.AIMDConfig) { r.count(v, &c.Max) }},
	{"initial", "", func(r *reader, v strict.Value, c *limit.AIMDConfig) { r.count(v, &c.Initial) }},
	{"backoff", "", func(r *reader, v strict.Value, c *limit.AIMDConfig) { r.share(v, &c.Backoff) }},
	{"timeout", "", func(r *reader, v strict.Value, c *limit.AIMDConfig) { r.duration(v, &c.Timeout) }},
}

var vegasKeys = []field[limit.VegasConfig]{
	{"min", "", func(r *reader, v strict.Value, c *limit.VegasConfig) { r.count(v, &c.Min) }},
	{"max", "", func(r *reader, v strict.Value, c *limit.VegasConfig) { r.count(v, &c.Max) }},
	{"initial", "", func(r *reader, v strict.Value, c *limit.VegasConfig) { r.count(v, &c.Initial) }},
	{"alpha", "", func(r *reader, v strict.Value, c *limit.VegasConfig) { r.count(v, &c.Alpha) }},
	{"beta", "", func(r *reader, v strict.Value, c *limit.VegasConfig) { r.count(v, &c.Beta) }},
	{"threshold", "", func(r *reader, v strict.Value, c *limit.VegasConfig) { r.count(v, &c.Threshold) }},
	{"smoothing", "", func(r *reader, v strict.Value, c *limit.VegasConfig) { r.share(v, &c.Smoothing) }},
	{"probe-multiplier", "", func(r *reader, v strict.Value, c *limit.VegasConfig) { r.count(v, &c.ProbeMultiplier) }},
}

var gradientKeys = []field[limit.GradientConfig]{
	{"min", "", func(r *reader, v strict.Value, c *limit.GradientConfig) { r.count(v, &c.Min) }},
	{"max", "", func(r *reader, v strict.Value, c *limit.GradientConfig) { r.count(v, &c.Max) }},
	{"initial", "", func(r *reader, v strict.Value, c *limit.GradientConfig) { r.count(v, &c.Initial) }},
	{"tolerance", "", func(r *reader, v strict.Value, c *limit.GradientConfig) { r.number(v, &c.Tolerance) }},
	{"smoothing", "", func(r *reader, v strict.Value, c *limit.GradientConfig) { r.share(v, &c.Smoothing) }},
	{"backoff", "", func(r *reader, v strict.Value, c *limit.GradientConfig) { r.share(v, &c.Backoff) }},
	{"probe-interval", "", func(r *reader, v strict.Value, c *limit.GradientConfig) { r.counted(v, &c.ProbeInterval) }},
}

var gradient2Keys = []field[limit.Gradient2Config]{
	{"min", "", func(r *reader, v strict.Value, c *limit.Gradient2Config) { r.count(v, &c.Min) }},
	{"max", "", func(r *reader, v strict.Value, c *limit.Gradient2Config) { r.count(v, &c.Max) }},
	{"initial", "", func(r *reader, v strict.Value, c *limit.Gradient2Config) { r.count(v, &c.Initial) }},
	{"tolerance", "", func(r *reader, v strict.Value, c *limit.Gradient2Config) { r.number(v, &c.Tolerance) }},
	{"smoothing", "", func(r *reader, v strict.Value, c *limit.Gradient2Config) { r.share(v, &c.Smoothing) }},
	{"queue", "", func(r *reader, v strict.Value, c *limit.Gradient2Config) { r.count(v, &c.Queue) }},
	{"long-window", "", func(r *reader, v strict.Value, c *limit.Gradient2Config) { r.count(v, &c.LongWindow) }},
}
