package page

import "strings"

// paragraph is a part of what a scenario says about itself.
type paragraph struct {
	Text     string
	Commands bool // its lines are commands
}

// paragraphs are the parts between empty lines. Lines of prose run on.
func paragraphs(about string) []paragraph {
	var out []paragraph
	for _, part := range strings.Split(about, "\n\n") {
		lines := strings.FieldsFunc(part, func(r rune) bool { return r == '\n' })
		if len(lines) == 0 {
			continue
		}
		p := paragraph{Commands: true}
		for _, l := range lines {
			p.Commands = p.Commands && strings.HasPrefix(strings.TrimSpace(l), "plimsoll ")
		}
		between := " "
		if p.Commands {
			between = "\n"
		}
		p.Text = strings.Join(lines, between)
		out = append(out, p)
	}
	return out
}
