package mix

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Template is text with values in it that are drawn anew for each request. What
// there is to write between {{ and }} is in [Values]. It has no conditions, loops
// or variables, so that what can go wrong when it is filled in has gone wrong when
// it was read, and what it makes is bounded.
type Template struct{ t *template.Template }

// fill makes the text for a request.
func (t *Template) fill(rng *rand.Rand, r Request) []byte {
	var b bytes.Buffer
	_ = t.t.Execute(&b, Values{rng, &r}) // it has been tried
	return b.Bytes()
}

// path is fill for what stands in the first line of a request.
func (t *Template) path(rng *rand.Rand, r Request) string { return escape(t.fill(rng, r)) }

// functions are those of text/template that a template may use: none of them
// fails, whatever it is given.
var functions = []string{"print", "printf", "js", "html", "urlquery"}

// values are the names of what [Values] has.
var values = []string{"Tenant", "Class", "Criticality", "DeadlineMs", "Int", "Pick", "Hex", "UUID"}

// template reads one that v has, or names the file of; nil after a fault.
func (r *reader) template(v strict.Value, text, file string) *Template {
	t, err := newTemplate(text)
	if err == nil {
		return t
	}
	line, message := templateFault(err)
	if file != "" {
		v = strict.Value{File: file, Line: line}
	}
	r.Want(v, "a template that can be filled in: %s", message)
	return nil
}

func newTemplate(text string) (*Template, error) {
	t, err := template.New("").Parse(text)
	if err != nil {
		return nil, err
	}
	if len(t.Templates()) > 1 {
		return nil, fmt.Errorf("want no define or block in it")
	}
	if t.Tree == nil { // it is empty
		return &Template{t}, nil
	}
	if err := plain(t.Tree, t.Root); err != nil {
		return nil, err
	}
	trial := Request{Class: &Class{Name: "trial"}, Tenant: "trial"}
	var b bytes.Buffer
	if err := t.Execute(&b, Values{rand.New(rand.NewPCG(1, 2)), &trial}); err != nil {
		return nil, err
	}
	if b.Len() > maxBody {
		return nil, fmt.Errorf("want 1 MiB at most, have %d bytes", b.Len())
	}
	return &Template{t}, nil
}

// maxBody bounds a body, in bytes.
const maxBody = 1 << 20

// plain looks whether a part of a template is text and values alone.
func plain(tree *parse.Tree, n parse.Node) error {
	wrong := func(format string, args ...any) error {
		where, _ := tree.ErrorContext(n)
		return fmt.Errorf("template: %s: %s", where, fmt.Sprintf(format, args...))
	}
	var below []parse.Node
	switch n := n.(type) {
	case *parse.ListNode:
		below = n.Nodes
	case *parse.TextNode, *parse.CommentNode, *parse.NumberNode, *parse.StringNode, *parse.BoolNode:
	case *parse.ActionNode:
		below = []parse.Node{n.Pipe}
	case *parse.PipeNode:
		if len(n.Decl) > 0 {
			return wrong("want no variables")
		}
		for _, c := range n.Cmds {
			below = append(below, c)
		}
	case *parse.CommandNode:
		below = n.Args
	case *parse.FieldNode:
		if len(n.Ident) != 1 || !slices.Contains(values, n.Ident[0]) {
			near := strict.Nearest(n.Ident[0], values)
			if near != "" {
				near = " (did you mean ." + near + "?)"
			}
			return wrong("want one of .%s, have %s%s", strings.Join(values, ", ."), n, near)
		}
	case *parse.IdentifierNode:
		if !slices.Contains(functions, n.Ident) {
			return wrong("want one of %s, have %s", strings.Join(functions, ", "), n)
		}
	default:
		return wrong("want text and values such as {{.Tenant}} only, have %s", strict.Value{Text: n.String()}.Shown())
	}
	for _, b := range below {
		if err := plain(tree, b); err != nil {
			return err
		}
	}
	return nil
}

var templateLine = regexp.MustCompile(`^template: :(\d+)(?::\d+)?: (?:executing "" at )?`)

// templateFault takes an error of a template apart.
func templateFault(err error) (line int, message string) {
	message = strings.ReplaceAll(err.Error(), "\n", " ")
	if m := templateLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1]) // it is digits
		return line, message[len(m[0]):]
	}
	return 1, message
}

func readTemplate(r *reader, v strict.Value, d *draft) {
	var text string
	if r.text(v, "the text of a template", &text) {
		d.Body = &Body{Template: r.template(v, text, "")}
	}
}

func readTemplateFile(r *reader, v strict.Value, d *draft) {
	if data, path, ok := r.contents(v); ok {
		d.Body = &Body{Template: r.template(v, string(data), path)}
	}
}
