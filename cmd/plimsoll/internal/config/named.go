package config

import "slices"

// Files are the files that the settings name, sorted, each once.
func (c *Config) Files() []string {
	all := []string{c.Record.TenantKey}
	for _, l := range c.Listeners {
		all = append(all, l.TLS.Certificate, l.TLS.Key)
	}
	for _, u := range c.Upstreams {
		all = append(all, u.TLS.CA, u.TLS.Certificate, u.TLS.Key)
	}
	for _, r := range c.Routes {
		for _, f := range r.Degrade {
			all = append(all, f.Body.File)
		}
	}
	for _, k := range c.Trust.Keys {
		all = append(all, k.File)
	}
	all = slices.DeleteFunc(all, func(name string) bool { return name == "" })
	slices.Sort(all)
	return slices.Compact(all)
}

// Named are the files that a file of settings names, as far as it can be read:
// they may be what is wrong with it.
func Named(file string) []string {
	c, _ := load(Flags{Config: file})
	return c.Files()
}
