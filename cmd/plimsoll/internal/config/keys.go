package config

import (
	"strings"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// mostPlaces bounds what is counted in places, waiting or streaming.
const mostPlaces = 1 << 20

// setting is one key of the file, and how its value is read. A key of more
// than one word is camelCase in a file and --kebab-case on a command line.
type setting struct {
	key  string
	read func(r *reader, v strict.Value, c *Config)
}

var settings = []setting{
	{"version", func(r *reader, v strict.Value, _ *Config) {
		if !v.Scalar("!!int") || v.Text != "1" {
			r.WantNot(v, "%d", Version)
		}
	}},
	{"name", func(r *reader, v strict.Value, c *Config) { r.token(v, "a name of letters, digits, - and _", &c.Name) }},
	{"listen", func(r *reader, v strict.Value, c *Config) { r.address(v, &c.Listen) }},
	{"admin", func(r *reader, v strict.Value, c *Config) { r.address(v, &c.Admin) }},
	{"upstream", func(r *reader, v strict.Value, c *Config) { r.upstream(v, &c.Upstream) }},
	{"limit", func(r *reader, v strict.Value, c *Config) { r.limit(v, &c.Limit) }},
	{"minLimit", func(r *reader, v strict.Value, c *Config) { r.Number(v, 1, limit.Max, "", &c.MinLimit) }},
	{"maxLimit", func(r *reader, v strict.Value, c *Config) { r.Number(v, 1, limit.Max, "", &c.MaxLimit) }},
	{"maxWait", func(r *reader, v strict.Value, c *Config) { r.Duration(v, true, &c.MaxWait) }},
	{"maxQueue", func(r *reader, v strict.Value, c *Config) {
		r.NumberOr(v, "auto", Unbounded, 0, mostPlaces, &c.MaxQueue)
	}},
	{"order", func(r *reader, v strict.Value, c *Config) {
		strict.Choice(&r.Reader, v, each(orders, queue.Order.String), orders, &c.Order)
	}},
	{"full", func(r *reader, v strict.Value, c *Config) {
		strict.Choice(&r.Reader, v, each(fulls, queue.Full.String), fulls, &c.Full)
	}},
	{"maxStreams", func(r *reader, v strict.Value, c *Config) { r.Number(v, 0, mostPlaces, "", &c.MaxStreams) }},
	{"timeout", func(r *reader, v strict.Value, c *Config) { r.Duration(v, true, &c.Timeout) }},
	{"maxTimeout", func(r *reader, v strict.Value, c *Config) { r.Duration(v, false, &c.MaxTimeout) }},
	{"timeoutHeader", func(r *reader, v strict.Value, c *Config) { r.header(v, &c.TimeoutHeader) }},
	{"hopMargin", func(r *reader, v strict.Value, c *Config) { r.Duration(v, true, &c.HopMargin) }},
	{"statusWhenFull", func(r *reader, v strict.Value, c *Config) {
		strict.Choice(&r.Reader, v, []string{"503", "429"}, []int{503, 429}, &c.StatusWhenFull)
	}},
	{"trusted", func(r *reader, v strict.Value, c *Config) { r.Truth(v, &c.Trusted) }},
	{"trustedNetworks", func(r *reader, v strict.Value, c *Config) {
		r.List(v, "networks", func(v strict.Value) { r.network(v, &c.TrustedNetworks) })
	}},
	{"levelHeader", func(r *reader, v strict.Value, c *Config) { r.header(v, &c.LevelHeader) }},
	{"tenantHeader", func(r *reader, v strict.Value, c *Config) { r.header(v, &c.TenantHeader) }},
	{"exempt", func(r *reader, v strict.Value, c *Config) {
		r.List(v, "paths", func(v strict.Value) {
			var p Pattern
			if r.pattern(v, &p); p != "" {
				c.Exempt = append(c.Exempt, p)
			}
		})
	}},
	{"rules", func(r *reader, v strict.Value, c *Config) {
		r.List(v, "rules", func(v strict.Value) { r.rule(v, &c.Rules) })
	}},
	{"readyWhenFull", func(r *reader, v strict.Value, c *Config) { r.Truth(v, &c.ReadyWhenFull) }},
	{"drainDelay", func(r *reader, v strict.Value, c *Config) { r.Duration(v, true, &c.DrainDelay) }},
	{"drainTimeout", func(r *reader, v strict.Value, c *Config) { r.Duration(v, true, &c.DrainTimeout) }},
	{"readHeaderTimeout", func(r *reader, v strict.Value, c *Config) { r.Duration(v, false, &c.ReadHeaderTimeout) }},
	{"idleTimeout", func(r *reader, v strict.Value, c *Config) { r.Duration(v, false, &c.IdleTimeout) }},
}

// The orders and the policies of a full queue; a file has their names.
var (
	orders = []queue.Order{queue.Adaptive, queue.OldestFirst, queue.NewestFirst, queue.EarliestDeadline}
	fulls  = []queue.Full{queue.Refuse, queue.DropOldest, queue.DropNewest, queue.Block}
)

// keys returns the keys of a file in their order.
func keys() []string {
	list := make([]string, len(settings))
	for i, s := range settings {
		list[i] = s.key
	}
	return list
}

// read reads the value of one key.
func (r *reader) read(key string, v strict.Value, c *Config) {
	for _, s := range settings {
		if s.key == key {
			before := len(r.Faults)
			s.read(r, v, c)
			r.given[key] = v
			r.bad[key] = r.bad[key] || len(r.Faults) > before
		}
	}
}

// flagName is how a key is written on a command line.
func flagName(key string) string {
	var b strings.Builder
	for _, c := range key {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('-')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return "--" + b.String()
}
