package mix

import (
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Flags are those of a command line that say what a load consists of. A command
// embeds them.
type Flags struct {
	Class    []string `name:"class" sep:"none" placeholder:"CLASS" help:"One of the classes that requests are drawn from, with its weight: critical:0.7,deadline=200ms,retries=2. May be repeated. Each is a CRITICALITY:WEIGHT with KEY=VALUE behind it; the keys are those of a file."`
	File     string   `name:"mix" placeholder:"FILE" help:"Read the classes from a YAML file instead."`
	Deadline string   `placeholder:"TIME" help:"How long a request may take from when it was due, of classes that do not say (1s)."`
	Protocol string   `placeholder:"NAME" help:"Of classes that do not say: http1, http2 or grpc (http1)."`
	Method   string   `placeholder:"NAME" help:"Of classes that do not say: an HTTP method, or package.Service/Method of gRPC (GET, with a body POST)."`
	Header   []string `name:"header" sep:"none" placeholder:"NAME:VALUE" help:"A header of every request. May be repeated."`
	Body     string   `placeholder:"TEXT" help:"The body of classes that do not say; of gRPC, JSON."`
	BodyFile string   `placeholder:"FILE" help:"The same, from a file."`
	Tenants  string   `placeholder:"TENANTS" help:"For whom the requests of classes are that do not say: how many there are, or names with | between them."`
	Retries  string   `placeholder:"N" help:"How often a caller tries again, of classes that do not say (none)."`
	Backoff  string   `placeholder:"TIME" help:"How long it stays away before the first retry, and twice as long before each further one (at once)."`
}

// Mix is what the flags say; recorded: for requests that a trace has, which has
// a class for each criticality where the flags have none. The error is
// [strict.Faults], every one of them. Files are only read.
func (f *Flags) Mix(recorded bool) (*Mix, error) {
	r := newReader("")
	base := f.base(r)
	if f.File != "" && len(f.Class) > 0 {
		r.Want(strict.Value{Key: "--mix"}, "either --class or --mix")
	}
	var drafts []draft
	for i, text := range f.Class {
		drafts = append(drafts, r.class(i, text, base))
	}
	if f.File != "" {
		fr := newReader(f.File)
		if data, ok := fr.ReadFile(f.File); ok {
			drafts = append(drafts, fr.file(data, base)...)
		}
		r.Faults = append(r.Faults, fr.Faults...)
	}
	if len(drafts) == 0 {
		drafts = append(drafts, r.alone(base, recorded)...)
	}
	return r.mix(drafts)
}

// base reads what classes are that say nothing.
func (f *Flags) base(r *reader) draft {
	d := newDraft(strict.Value{})
	for _, given := range []struct{ key, text string }{
		{"deadline", f.Deadline}, {"protocol", f.Protocol}, {"method", f.Method}, {"body", f.Body}, {"bodyFile", f.BodyFile},
		{"tenants", f.Tenants}, {"retries", f.Retries}, {"backoff", f.Backoff},
	} {
		if given.text != "" {
			r.read(given.key, strict.Value{Key: "--" + kebab(given.key), Text: given.text}, &d)
		}
	}
	for _, text := range f.Header {
		r.read("headers", strict.Value{Key: "--header", Text: text}, &d)
	}
	r.finishTenants(&d)
	return d
}

// alone are the classes of a load that says none.
func (r *reader) alone(base draft, recorded bool) []draft {
	d := base.below(base.at)
	d.Name = DefaultName
	for key, v := range base.given {
		d.given[key] = v
	}
	drafts := []draft{r.finish(d)}
	if recorded && len(r.Faults) == 0 {
		for _, c := range class.All() {
			one := drafts[0]
			one.Name, one.Criticality = c.String(), c
			drafts = append(drafts, one)
		}
	}
	return drafts
}
