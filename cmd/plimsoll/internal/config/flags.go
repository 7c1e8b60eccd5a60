package config

import (
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Flags are the settings that a command line can give, as text: [Load] reads
// them, so that every fault is found at once. Nil: not given.
type Flags struct {
	Config         string  `short:"c" placeholder:"FILE" help:"YAML file with every setting; proxy.example.yaml shows them. Flags override it."`
	Listen         *string `placeholder:"HOST:PORT" help:"Where the traffic arrives. Default: :8080."`
	Admin          *string `placeholder:"HOST:PORT" help:"Where /metrics, /status, /healthz and /readyz are. Default: 127.0.0.1:9090."`
	Upstream       *string `placeholder:"URL" help:"The service behind: http://, https:// or h2c:// and a host."`
	Limit          *string `placeholder:"auto|N" help:"How many requests may be in flight. Default: auto, found by measuring."`
	MaxWait        *string `placeholder:"TIME" help:"The longest a request waits for its turn; 0: none waits. Default: 500ms."`
	MaxQueue       *string `placeholder:"auto|N" help:"Places in the queue; 0: no queue. Default: auto, as many as can be served within --max-wait."`
	Order          *string `placeholder:"ORDER" help:"Who is served first of one class: adaptive, oldest_first, newest_first or earliest_deadline. Default: adaptive."`
	Full           *string `placeholder:"POLICY" help:"When the queue is full: refuse, drop_oldest, drop_newest or block. Default: refuse."`
	Timeout        *string `placeholder:"TIME" help:"Deadline of requests that bring none, and the most that callers who are not trusted may ask for; 0: none. Default: 15s."`
	MaxTimeout     *string `placeholder:"TIME" help:"The longest deadline that any caller may ask for. Default: 30s."`
	StatusWhenFull *string `placeholder:"503|429" help:"What a refusal answers. Default: 503."`
	Drain          *string `placeholder:"TIME" help:"How long what has been admitted has to end after SIGTERM; 0: it is cut. Default: 30s."`
	Record         *string `placeholder:"FILE" help:"Write what arrives into FILE, .csv or .ndjson, to play it again: when, which class, route and deadline, for whom as a hash; no content."`
}

// flag is one of them: what it stands for.
type flag struct {
	key  string // as in a file; in kebab-case on the command line
	text func(*Flags) *string
	gate bool // a key of the only gate, which is known when names are resolved
	read func(r *reader, v strict.Value, c *Config)
}

var flags = []flag{
	{"listen", func(f *Flags) *string { return f.Listen }, false, readListen},
	{"admin", func(f *Flags) *string { return f.Admin }, false, ofFile("admin")},
	{"upstream", func(f *Flags) *string { return f.Upstream }, false, readUpstream},
	{"timeout", func(f *Flags) *string { return f.Timeout }, false, ofFile("timeout")},
	{"maxTimeout", func(f *Flags) *string { return f.MaxTimeout }, false, ofFile("maxTimeout")},
	{"statusWhenFull", func(f *Flags) *string { return f.StatusWhenFull }, false, ofFile("statusWhenFull")},
	{"drain", func(f *Flags) *string { return f.Drain }, false, readDrain},
	{"record", func(f *Flags) *string { return f.Record }, false, readRecord},
	{"limit", func(f *Flags) *string { return f.Limit }, true, ofGate("limit")},
	{"maxWait", func(f *Flags) *string { return f.MaxWait }, true, ofGate("maxWait")},
	{"maxQueue", func(f *Flags) *string { return f.MaxQueue }, true, ofGate("maxQueue")},
	{"order", func(f *Flags) *string { return f.Order }, true, ofGate("order")},
	{"full", func(f *Flags) *string { return f.Full }, true, ofGate("full")},
}

// override reads the flags of the gate, or the others, over what the file says.
func (f Flags) override(r *reader, c *Config, gate bool) {
	for _, flag := range flags {
		if text := flag.text(&f); text != nil && flag.gate == gate {
			flag.read(r, strict.Value{Key: flagName(flag.key), Text: *text}, c)
		}
	}
}

// ofFile reads a key of the file itself.
func ofFile(name string) func(r *reader, v strict.Value, c *Config) {
	return func(r *reader, v strict.Value, c *Config) {
		k, _ := find(rootKeys, name, func(k *key[Config]) string { return k.name })
		r.readAs(name, v, func() { k.read(r, v, c) })
	}
}

// ofGate reads a key of the only gate.
func ofGate(name string) func(r *reader, v strict.Value, c *Config) {
	return func(r *reader, v strict.Value, c *Config) {
		g := newGate("") // where there is none yet, the value is still looked at
		if k, _ := find(gateKeys, name, func(k *key[Gate]) string { return k.name }); len(c.Gates) != 1 {
			k.read(r, v, &g)
		} else {
			r.readAs(under("gates."+c.Gates[0].Name, name), v, func() { k.read(r, v, &c.Gates[0]) })
		}
		if n := len(c.Gates); n > 1 {
			r.Want(v, "one gate that it is about; the file has %d, so say it under gates there", n)
		}
	}
}

func readDrain(r *reader, v strict.Value, c *Config) {
	r.readAs("drain.timeout", v, func() { duration(true).read(r, v, &c.Drain.Timeout) })
}

func readListen(r *reader, v strict.Value, c *Config) {
	l := newListener()
	if len(c.Listeners) == 1 {
		l = c.Listeners[0]
	}
	r.readAs("listeners[0].address", v, func() { address.read(r, v, &l.Address) })
	if n := len(c.Listeners); n > 1 {
		r.Want(v, "one listener that it is about; the file has %d, so say it under listeners there", n)
		return
	}
	c.Listeners = []Listener{l}
}

func readUpstream(r *reader, v strict.Value, c *Config) {
	u := newUpstream(OnlyUpstream)
	if len(c.Upstreams) == 1 {
		u = c.Upstreams[0]
	}
	var e Endpoint
	place := "upstreams." + u.Name
	r.readAs(place+".endpoints", v, func() { endpoint.read(r, v, &e) })
	u.Endpoints = []Endpoint{e}
	if n := len(c.Upstreams); n > 1 {
		r.Want(v, "one upstream that it is about; the file has %d, so say it under upstreams there", n)
		return
	}
	if !r.has(place) {
		r.given[place] = v
	}
	c.Upstreams = []Upstream{u}
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
