package mix

import (
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

var (
	decimal = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	token   = regexp.MustCompile(tokenPattern)
	name    = regexp.MustCompile(namePattern)
)

// parseNumber reads a number that is written out: not NaN, no hexadecimal digits.
func parseNumber(s string) (float64, bool) {
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && decimal.MatchString(s)
}

// line reads text that can stand in a header.
func (r *reader) line(v strict.Value, to *string) {
	if !v.Scalar("!!str", "!!int", "!!float", "!!bool") || !isLine(v.Text) {
		r.WantNot(v, "text on one line")
		return
	}
	*to = v.Text
}

// isLine reports whether s is what one header can carry (RFC 9110, section 5.5).
func isLine(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

func readCriticality(r *reader, v strict.Value, d *draft) {
	c, ok := class.Parse(v.Text)
	switch {
	case ok && v.Scalar("!!str"):
		d.Criticality = c
	case v.Scalar("!!str") && strings.EqualFold(v.Text, class.Unset.String()):
		d.Criticality = class.Unset
	default:
		r.WantNot(v, "%s", wantCriticality(v.Text))
	}
}

// wantCriticality says what there is, and what somebody meant.
func wantCriticality(have string) string {
	want := "CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS, SHEDDABLE or UNSET"
	if near := strict.Nearest(have, append(criticalities(), class.Unset.String())); near != "" {
		want += " (did you mean " + near + "?)"
	}
	return want
}

func readLevel(r *reader, v strict.Value, d *draft) {
	level := 0
	before := len(r.Faults)
	r.NumberOr(v, "tenant", -1, 0, int(class.MaxLevel), &level)
	if len(r.Faults) == before {
		d.ByTenant, d.Level = level < 0, class.Level(max(level, 0))
	}
}

func readTenants(r *reader, v strict.Value, d *draft) {
	var names []string
	switch {
	case v.IsList():
		r.List(v, "names", func(v strict.Value) {
			var name string
			r.line(v, &name)
			names = append(names, name)
		})
	case v.Node == nil && strings.Contains(v.Text, "|"):
		names = strings.Split(v.Text, "|")
	default:
		r.Number(v, 1, mostTenants, "names of tenants, or ", &d.count)
		return
	}
	switch {
	case len(names) == 0 || len(names) > mostTenants:
		r.Want(v, "1 to %d names", mostTenants)
	case v.Node == nil && slices.ContainsFunc(names, func(s string) bool { return !isLine(s) }):
		r.WantNot(v, "names with | between them")
	default:
		d.tenants.Names, d.count = names, 0
	}
}

// written are the headers that the load writes by itself, and what says so.
var written = map[string]string{
	"Content-Length": "a body", "Transfer-Encoding": "a body", "Connection": "", "Te": "", "Upgrade": "", "Keep-Alive": "",
	wire.CriticalityHeader: "criticality", wire.TimeoutHeader: "deadline", wire.AttemptHeader: "retries", "Grpc-Timeout": "deadline",
}

func readHeaders(r *reader, v strict.Value, d *draft) {
	if v.Node == nil {
		name, value, found := strings.Cut(v.Text, ":")
		if !found {
			r.WantNot(v, "NAME:VALUE")
			return
		}
		r.header(v, name, strings.TrimSpace(value), d)
		return
	}
	seen := map[string]bool{}
	r.Named(v, "headers", func(name string, v strict.Value) {
		switch canonical := textproto.CanonicalMIMEHeaderKey(name); {
		case seen[canonical]:
			r.Want(v, "each header once, whatever its case")
		case !v.Scalar("!!str", "!!int", "!!float", "!!bool"):
			r.WantNot(v, "the header's value")
		default:
			seen[canonical] = true
			r.header(v, name, v.Text, d)
		}
	})
}

// header adds a header, in place of an inherited one.
func (r *reader) header(v strict.Value, name, value string, d *draft) {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	by, ours := written[canonical]
	switch {
	case !token.MatchString(name):
		r.WantNot(v, "the name of a header, such as X-Plan, before its value")
	case ours && by != "":
		r.Want(v, "%s instead: the load writes this header by itself", by)
	case ours:
		r.Want(v, "another header: the load writes this one by itself")
	case value != "" && !isLine(value):
		r.WantNot(v, "a header's value on one line")
	default:
		if !d.own[canonical] {
			d.Header.Del(canonical)
			d.own[canonical] = true
		}
		d.Header.Add(canonical, value)
	}
}

func readPath(r *reader, v strict.Value, d *draft) {
	var path string
	switch {
	case !r.text(v, "a path that begins with / or ?", &path):
	case strings.Contains(path, "{{"):
		if path[0] != '/' && path[0] != '?' {
			r.WantNot(v, "a path that begins with / or ?")
			return
		}
		d.PathOf, d.Path = r.template(v, path, ""), path
	case !isTarget(path):
		r.WantNot(v, "a path that begins with / or ?, with spaces and the like encoded as in %%20")
	default:
		d.PathOf, d.Path = nil, path
	}
}
