package mix

import (
	"math"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// key is one thing that can be said of a class: in a file by its name, with
// --class as kebab does it.
type key struct {
	name  string
	shape string // what may stand there, in a few words
	doc   string
	schema
	read func(r *reader, v strict.Value, d *draft)
}

// The bounds of what a file or a command line asks for.
const (
	maxDeadline = time.Hour
	maxRetries  = 15 // a service hears of 16 attempts at most
)

// keys are all of them, in the order in which they are described.
var keys = []key{
	{"weight", "number", "What it has of all requests is this by the sum of all weights. Above 0; 1 unless said.", schema{"type": "number", "minimum": minWeight, "maximum": maxWeight}, readWeight},
	{"criticality", "criticality", "CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE, which requests say in a header. UNSET, or absent: they say none.",
		schema{"enum": append(criticalities(), "UNSET")}, readCriticality},
	{"level", "0 to 127, or tenant", "The level within the criticality, sent in a header (--level-header). tenant: a hash of the tenant, the same in every run. 0: none is sent.",
		schema{"anyOf": []schema{{"type": "integer", "minimum": 0, "maximum": class.MaxLevel}, {"const": "tenant"}}}, readLevel},
	{"deadline", "duration", "How long a request may take from when it was due, in all its attempts. It is sent, and the caller hangs up then. Above 0, 1h at most; 1s unless said.",
		schema{"type": "string", "pattern": durationForm}, readDeadline},
	{"tenants", "number, or list of names", "For whom requests are made, sent in a header (--tenant-header): how many there are, or who they are. With --class, names have | between them.",
		schema{"anyOf": []schema{{"type": "integer", "minimum": 1, "maximum": mostTenants}, {"type": "array", "minItems": 1, "maxItems": mostTenants, "items": text}}}, readTenants},
	{"tenantPrefix", "text", "The names of tenants that are a number begin with it: tenant-1, tenant-2 unless said.", text, func(r *reader, v strict.Value, d *draft) {
		r.line(v, &d.prefix)
	}},
	{"skew", "number, 0 to 20", "How unevenly tenants ask: the nth of them 1/n^skew as often as the first (Zipf's law). 0 unless said: all alike.",
		schema{"type": "number", "minimum": 0, "maximum": maxSkew}, readSkew},
	{"protocol", "word", "http1, http2 or grpc. TLS is what the URL says: https:// or grpcs://. http1 unless said.", schema{"enum": protocolNames}, func(r *reader, v strict.Value, d *draft) {
		strict.Choice(&r.Reader, v, protocolNames, []Protocol{HTTP1, HTTP2, GRPC}, &d.Protocol)
	}},
	{"method", "text", "An HTTP method; of grpc, package.Service/Method. GET unless said, with a body POST.", text, func(r *reader, v strict.Value, d *draft) {
		r.line(v, &d.Method)
	}},
	{"path", "text", "Comes after the URL of the load, with its query. With {{ in it it is a template; what cannot stand in a path is encoded.", text, readPath},
	{"headers", "headers with values", "Sent with each request. With --class it is header=NAME:VALUE, and may be repeated.",
		schema{"type": "object", "propertyNames": schema{"pattern": tokenPattern}, "additionalProperties": schema{"type": []any{"string", "number", "boolean"}}}, readHeaders},
	{"body", "text", "The body; of grpc the message, as JSON. 1 MiB at most.", text, func(r *reader, v strict.Value, d *draft) {
		var body string
		if r.text(v, "the text of a body", &body) {
			d.Body = &Body{Bytes: []byte(body)}
		}
	}},
	{"bodyFile", "file", "The same from a file, relative to this one.", text, func(r *reader, v strict.Value, d *draft) {
		if data, _, ok := r.contents(v); ok {
			d.Body = &Body{Bytes: data}
		}
	}},
	{"template", "text", "A body that is filled in anew for each request; see below.", text, readTemplate},
	{"templateFile", "file", "The same from a file, relative to this one.", text, readTemplateFile},
	{"retries", "0 to 15, or none", "How often a caller tries again that was refused or failed. none unless said.",
		schema{"anyOf": []schema{{"type": "integer", "minimum": 0, "maximum": maxRetries}, {"const": "none"}}}, readRetries},
	{"backoff", "duration", "How long it stays away before the first retry, and twice as long before each further one. 0 unless said: it tries at once.", duration, func(r *reader, v strict.Value, d *draft) {
		r.upTo(v, maxDeadline, &d.Retry.Backoff.Base)
	}},
	{"maxBackoff", "duration", "The most that it comes to; 1m unless said.", duration, func(r *reader, v strict.Value, d *draft) {
		r.upTo(v, maxDeadline, &d.Retry.Backoff.Max)
	}},
	{"jitter", "full or none", "full: it stays away for a random part of that, so that callers do not come back together. none: for all of it. full unless said.",
		schema{"enum": jitterNames}, readJitter},
	{"budget", "part, such as 10%", "Retries are at most this part of the requests of the class; 0% unless said: there is no such bound.", schema{"type": "string", "pattern": percentForm}, readBudget},
	{"heed", "true or false", "Whether a caller waits as long as the service asks (Retry-After and its kin), and does not try again when told not to, or what somebody further on has given up. false unless said.",
		schema{"type": "boolean"}, readHeed},
}

// keyNames are the names of all keys.
func keyNames() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// kebab is a key as a command line has it.
func kebab(name string) string {
	if name == "headers" { // one at a time
		return "header"
	}
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('-')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

func readWeight(r *reader, v strict.Value, d *draft) {
	r.number(v, minWeight, maxWeight, "a weight above 0, such as 0.7", &d.Weight)
}

func readSkew(r *reader, v strict.Value, d *draft) {
	r.number(v, 0, maxSkew, "a number from 0 to 20, such as 1.1", &d.tenants.Skew)
}

func readDeadline(r *reader, v strict.Value, d *draft) {
	before := len(r.Faults)
	if r.upTo(v, maxDeadline, &d.Deadline); len(r.Faults) == before && d.Deadline == 0 {
		r.WantNot(v, "a duration above 0")
	}
}

// upTo reads a duration from 0 to most.
func (r *reader) upTo(v strict.Value, most time.Duration, to *time.Duration) {
	before := len(r.Faults)
	if r.Duration(v, true, to); len(r.Faults) == before && *to > most {
		r.WantNot(v, "a duration of %s at most", most)
	}
}

// number reads a number from least to most.
func (r *reader) number(v strict.Value, least, most float64, wanted string, to *float64) {
	n, ok := parseNumber(v.Text)
	if !v.Scalar("!!int", "!!float") || !ok || math.IsNaN(n) || n < least || n > most {
		r.WantNot(v, "%s", wanted)
		return
	}
	*to = n
}
