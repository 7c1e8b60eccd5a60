package mix

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// class reads one --class, CRITICALITY:WEIGHT with KEY=VALUE behind it.
func (r *reader) class(number int, text string, base draft) draft {
	items, rest, ok := split(text)
	head := ""
	if len(items) > 0 {
		head = items[0].text
	}
	at := strict.Value{Key: "--class " + strict.Value{Text: head}.Shown()}
	d := base.below(at)
	d.Name = ""
	r.head(at, head, &d)
	if !ok {
		r.Want(at, "a double quote or a backquote that ends what begins at %s", strict.Value{Text: rest}.Shown())
	}
	for _, item := range items[min(1, len(items)):] {
		r.item(at, item, &d)
	}
	if d.Name == "" {
		d.Name = d.Criticality.String()
		if d.Criticality == class.Unset {
			d.Name = DefaultName
		}
	}
	if number == maxClasses {
		r.Want(at, "%d classes at most", maxClasses)
	}
	return r.finish(d)
}

// head reads CRITICALITY:WEIGHT.
func (r *reader) head(at strict.Value, head string, d *draft) {
	word, weight, weighed := strings.Cut(head, ":")
	before := len(r.Faults)
	readCriticality(r, strict.Value{Key: at.Key, Text: strings.TrimSpace(word)}, d)
	if len(r.Faults) > before {
		r.Faults[before].Want = fmt.Sprintf("want a criticality first, as in critical:0.7,name=checkout: %s, have %s", wantCriticality(word), strict.Value{Text: word}.Shown())
	}
	if weighed {
		readWeight(r, strict.Value{Key: at.Key, Text: strings.TrimSpace(weight)}, d)
	}
}

// item reads KEY=VALUE.
func (r *reader) item(at strict.Value, i item, d *draft) {
	flag, value, _ := strings.Cut(i.text, "=")
	flag = strings.TrimSpace(flag)
	v := strict.Value{Key: at.Key + ", " + strict.Value{Text: flag}.Shown(), Text: value}
	if i.quoted {
		v.Text = i.value
	}
	known := flagKeys()
	at.Key = v.Key
	switch _, twice := d.given[camel(flag)]; {
	case flag == "weight" || flag == "criticality":
		r.Want(at, "it first and without a key, as in critical:0.7")
	case !slices.Contains(known, flag):
		if near := strict.Nearest(flag, known); near != "" {
			r.Want(at, "a known key; did you mean %s?", near)
		} else {
			r.Want(at, "KEY=VALUE, a value with commas in double quotes; the keys are %s", strings.Join(known, ", "))
		}
	case twice && flag != "header":
		r.Want(at, "it once")
	case flag == "name":
		d.given[flag] = v
		if d.Name = v.Text; !name.MatchString(v.Text) {
			r.WantNot(v, "a name of 64 letters, digits, '_', '-' and '.' at most")
		}
	default:
		r.read(camel(flag), v, d)
	}
}

// flagKeys are the keys that --class has.
func flagKeys() []string {
	known := []string{"name"}
	for _, k := range keys {
		if k.name != "weight" && k.name != "criticality" { // these come first, without a key
			known = append(known, kebab(k.name))
		}
	}
	return known
}

// camel is the key of a file that a command line has as flag; "name" and what is
// unknown is itself.
func camel(flag string) string {
	for _, k := range keys {
		if kebab(k.name) == flag {
			return k.name
		}
	}
	return flag
}

// item is one of what stands between commas: its text, and its value where that
// was quoted.
type item struct {
	text, value string
	quoted      bool
}

// split takes the items of a class apart. A value in double quotes or backquotes
// is what it would be in Go; not ok: it does not end, and rest is where it begins.
func split(text string) (items []item, rest string, ok bool) {
	for {
		end := strings.IndexByte(text, ',')
		if end < 0 {
			end = len(text)
		}
		equals := strings.IndexByte(text, '=')
		if equals >= 0 && equals < end && equals+1 < len(text) && (text[equals+1] == '"' || text[equals+1] == '`') {
			quoted, err := strconv.QuotedPrefix(text[equals+1:])
			after := text[equals+1+len(quoted):]
			if err != nil || after != "" && after[0] != ',' {
				return items, text[equals+1:], false
			}
			value, _ := strconv.Unquote(quoted) // a prefix that is quoted can be
			items = append(items, item{text[:equals], value, true})
			end = len(text) - len(after)
		} else {
			items = append(items, item{text: text[:end]})
		}
		if end == len(text) {
			return items, "", true
		}
		text = text[end+1:]
	}
}
