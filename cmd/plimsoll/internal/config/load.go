package config

import "github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"

// Flags are the settings that a command line can give, as text: [Load] reads
// them, so that every fault is found at once. Nil: not given.
type Flags struct {
	Config         string  `short:"c" placeholder:"FILE" help:"YAML file with the same keys in camelCase, and more; flags override it."`
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
}

// given returns the flags that were given.
func (f *Flags) given() map[string]*string {
	return map[string]*string{
		"listen": f.Listen, "admin": f.Admin, "upstream": f.Upstream, "limit": f.Limit,
		"maxWait": f.MaxWait, "maxQueue": f.MaxQueue, "order": f.Order, "full": f.Full,
		"timeout": f.Timeout, "maxTimeout": f.MaxTimeout, "statusWhenFull": f.StatusWhenFull,
	}
}

// Load returns the settings of a command line and of the file it names. The
// error is [strict.Faults], all of them.
func Load(f Flags) (Config, error) {
	c := Default()
	r := newReader()
	if f.Config != "" {
		r.file(f.Config, &c)
	}
	flags := f.given()
	for _, s := range settings {
		if text := flags[s.key]; text != nil {
			r.read(s.key, strict.Value{Key: flagName(s.key), Text: *text}, &c)
		}
	}
	r.whole(f.Config, c)
	return c, r.Faults.Err()
}

// file reads a file into c.
func (r *reader) file(name string, c *Config) {
	if data, ok := r.ReadFile(name); ok {
		r.document(name, data, c)
	}
}

// document reads the content of a file into c.
func (r *reader) document(name string, data []byte, c *Config) {
	root, ok := r.Document(name, "settings", data)
	if !ok {
		return
	}
	r.Object(root, keys(), func(key string, v strict.Value) { r.read(key, v, c) })
	if _, ok := r.given["version"]; !ok {
		root.Key = "version"
		r.Want(root, "version: %d, so that the file is still understood when the format changes", Version)
	}
}
