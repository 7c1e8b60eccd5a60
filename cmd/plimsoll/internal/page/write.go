package page

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
)

var (
	//go:embed colours.css
	colours string // as variables, light and dark
	//go:embed marks.css
	marks string // what plots are drawn with
	//go:embed style.css
	style string
	//go:embed readout.js
	script string
	//go:embed page.tmpl
	text string
	//go:embed load.tmpl
	loadText string
)

var templates = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":      func() template.CSS { return template.CSS(colours + marks + style) },
	"paragraphs": paragraphs,
	"script":     func() template.JS { return template.JS(script) },
}).Parse(text + loadText))

// head is what a page is called, and by what it was made.
type head struct{ Title, Tool string }

const simTool = "plimsoll sim"

// Write writes the page. What it returns is the writer's error.
func Write(w io.Writer, d Document) error { return execute(w, "runs", newView(d)) }

// execute writes nothing unless all of the page can be made.
func execute(w io.Writer, name string, view any) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, view); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
