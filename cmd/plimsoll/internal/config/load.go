package config

import (
	"os"
	"path/filepath"
)

// Load returns the settings of a command line and of the file it names, with
// every file that these name looked into. The error is [strict.Faults], all of
// them; there are no settings then, not even in part.
func Load(f Flags) (Config, error) {
	c, r := load(f)
	r.files(c)
	r.environment(os.Environ())
	return r.settings(c)
}

// LoadText is [Load] where the files that the settings name are somewhere
// else: they are not looked for.
func LoadText(f Flags) (Config, error) {
	c, r := load(f)
	return r.settings(c)
}

func (r *reader) settings(c Config) (Config, error) {
	if err := r.Faults.Err(); err != nil {
		return Config{}, err
	}
	return c, nil
}

func load(f Flags) (Config, *reader) {
	c, r := Default(), newReader()
	if f.Config != "" {
		data, ok := r.ReadFile(f.Config)
		r.bad["upstreams"] = !ok
		if ok {
			r.document(f.Config, data, &c)
		}
	}
	r.complete(f, &c)
	c.Places = r.placesOf()
	return c, r
}

// document reads the content of a file into c.
func (r *reader) document(name string, data []byte, c *Config) {
	if abs, err := filepath.Abs(name); err == nil { // else paths stay relative to where we are
		r.dir = filepath.Dir(abs)
	}
	v, ok := r.Document(name, "settings", data)
	if !ok {
		r.bad["upstreams"] = true // nothing can be said of what is not there
		return
	}
	r.read(v, func() { root.read(r, v, c) })
}

// complete overrides the file by flags, resolves names and defaults, and
// checks what no value shows alone.
func (r *reader) complete(f Flags, c *Config) {
	f.override(r, c, false)
	c.resolve()
	f.override(r, c, true)
	r.whole(f.Config, *c)
}

// resolve fills in what follows from other parts: a listener, the gates of
// upstreams, the class of those that have none, the only route, and what routes
// take from elsewhere. It changes nothing the second time.
func (c *Config) resolve() {
	if len(c.Listeners) == 0 {
		c.Listeners = []Listener{newListener()}
	}
	c.resolveGates()
	if _, ok := c.class(DefaultClass); !ok {
		c.Classes = append([]Class{newClass(DefaultClass)}, c.Classes...)
	}
	if len(c.Routes) == 0 && len(c.Upstreams) == 1 {
		c.Routes = []Route{newRoute()}
	}
	for i := range c.Routes {
		c.resolveRoute(&c.Routes[i])
	}
}

// resolveGates gives each upstream a gate, and puts these first.
func (c *Config) resolveGates() {
	var all []Gate
	own := map[string]bool{}
	for _, u := range c.Upstreams {
		g, ok := c.gate(u.Name)
		if !ok {
			g = newGate(u.Name)
		}
		all = append(all, g)
		own[u.Name] = true
	}
	for _, g := range c.Gates {
		if !own[g.Name] {
			all = append(all, g)
		}
	}
	for i := range all {
		all[i].Ladder.resolve()
	}
	c.Gates = all
}

func (c *Config) resolveRoute(r *Route) {
	if r.Upstream == "" && len(c.Upstreams) == 1 {
		r.Upstream = c.Upstreams[0].Name
	}
	if r.Gate == "" {
		r.Gate = r.Upstream
	}
	if r.Class == "" {
		r.Class = DefaultClass
	}
	if r.Name == "" {
		r.Name = string(r.Match.Path)
	}
	if r.Name == "" {
		r.Name = "/*"
	}
	if r.MaxTimeout == inherited {
		r.MaxTimeout = c.MaxTimeout
	}
	if r.Timeout == inherited {
		r.Timeout = min(c.Timeout, r.MaxTimeout)
	}
}
