package mix

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// draft is a class of which not everything has been said yet: what others go by,
// or what is being read.
type draft struct {
	Class
	at    strict.Value            // where it stands
	given map[string]strict.Value // what it says itself, by key

	own map[string]bool // the headers that it says itself

	tenants Tenants // listed
	count   int     // of those that are numbered; 0: they are listed
	prefix  string
}

func newDraft(at strict.Value) draft {
	return draft{Class: Class{Weight: 1, Header: http.Header{}}, prefix: "tenant-"}.below(at)
}

// below is a draft for what says only how it differs.
func (d draft) below(at strict.Value) draft {
	d.at, d.given, d.own, d.Header = at, map[string]strict.Value{}, map[string]bool{}, d.Header.Clone()
	return d
}

// giver is what was given for the first of some keys where something was: where
// to say what does not fit.
func (d *draft) giver(names ...string) (strict.Value, bool) {
	for _, name := range names {
		if v, ok := d.given[name]; ok {
			return v, true
		}
	}
	return d.at, false
}

// has reports whether it says a key itself.
func (d *draft) has(key string) bool {
	_, ok := d.given[key]
	return ok
}

var (
	grpcMethod = regexp.MustCompile(`^/?([A-Za-z_][A-Za-z0-9_.]*/[A-Za-z_][A-Za-z0-9_]*)$`)
	httpMethod = regexp.MustCompile(`^[!#$%&'*+.^_|~0-9A-Za-z-]+$`)
)

// finish looks whether what was said of a class goes together.
func (r *reader) finish(d draft) draft {
	r.finishMethod(&d)
	r.finishTenants(&d)
	for i, key := range bodies {
		if v, ok := d.given[key]; ok && slices.ContainsFunc(bodies[:i], func(other string) bool { return d.has(other) }) {
			r.Want(v, "one of body, bodyFile, template and templateFile")
		}
	}
	if v, ok := d.giver(needRetries...); ok && d.Retry.Attempts < 2 {
		r.Want(v, "retries beside it, of which 1 or more are made")
	}
	if v, ok := d.giver("maxBackoff", "jitter"); ok && d.Retry.Attempts > 1 && d.Retry.Backoff.Base == 0 {
		r.Want(v, "a backoff beside it")
	}
	if b := d.Retry.Backoff; b.Max > 0 && b.Max < b.Base {
		v, _ := d.giver("maxBackoff", "backoff")
		r.Want(v, "a maxBackoff that is no shorter than the backoff, %s", b.Base)
	}
	if v, ok := d.given["level"]; ok && d.ByTenant && d.Tenants == nil {
		r.Want(v, "tenants beside it: the level is a hash of the tenant")
	}
	return d
}

// bodies are the ways to say a body.
var bodies = []string{"body", "bodyFile", "template", "templateFile"}

var needRetries = []string{"backoff", "maxBackoff", "jitter", "budget", "heed"}

func (r *reader) finishMethod(d *draft) {
	at, _ := d.giver("method", "protocol")
	switch {
	case d.Protocol == GRPC && d.Method == "":
		r.Want(at, "a method too, such as package.Service/Method: the protocol is grpc")
	case d.Protocol == GRPC:
		m := grpcMethod.FindStringSubmatch(d.Method)
		if m == nil {
			r.Want(at, "package.Service/Method as the protocol is grpc, have %s", d.Method)
			return
		}
		d.Method = m[1]
		if v, ok := d.given["path"]; ok {
			r.Want(v, "no path: the protocol is grpc, its method says all")
		}
	case d.Method == "" && d.Body != nil:
		d.Method = http.MethodPost
	case d.Method == "":
		d.Method = http.MethodGet
	case !httpMethod.MatchString(d.Method):
		r.Want(at, "an HTTP method such as POST, or protocol grpc beside it, have %s", d.Method)
	}
}

// finishTenants makes what was said of tenants one, unless it is said elsewhere,
// so that classes that inherit them share them.
func (r *reader) finishTenants(d *draft) {
	v, ok := d.giver("tenants", "skew", "tenantPrefix")
	if !ok {
		return
	}
	t := d.tenants
	if d.count > 0 {
		t.Names = numbered(d.prefix, d.count)
	}
	if len(t.Names) > 0 {
		d.Tenants = &t
	} else if !d.has("tenants") {
		r.Want(v, "tenants beside it")
	}
}

// mix makes one of what was read, if nothing is wrong with it.
func (r *reader) mix(drafts []draft) (*Mix, error) {
	seen := map[string]strict.Value{}
	for _, d := range drafts {
		if _, twice := seen[d.Name]; twice {
			r.Want(d.at, "a name of its own, such as name=%s: another class is called %s", d.Name+"-2", d.Name)
		}
		seen[d.Name] = d.at
	}
	if err := r.Faults.Err(); err != nil {
		return nil, err
	}
	classes := make([]*Class, len(drafts))
	for i, d := range drafts {
		classes[i] = &d.Class
	}
	return New(classes)
}
