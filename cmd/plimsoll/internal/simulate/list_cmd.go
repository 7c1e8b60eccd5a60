package simulate

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/alecthomas/kong"
)

// ListCmd is the command line of "plimsoll sim list".
type ListCmd struct {
	JSON bool `name:"json" help:"Print the list as JSON."`
}

// Help is the longer text of "plimsoll sim list --help".
func (*ListCmd) Help() string {
	return `Lists the scenarios that the program brings with it: what to call them, what
each is about, and the policies that it compares.

Example:
  plimsoll sim list
  plimsoll sim list --json | jq '.[].name'`
}

// listed is one of them.
type listed struct {
	Name     string   `json:"name"`
	File     string   `json:"file"`
	Title    string   `json:"title"`
	About    string   `json:"about"`
	Source   string   `json:"source,omitempty"`
	Policies []string `json:"policies"`
}

// Run prints the list.
func (c *ListCmd) Run(k *kong.Kong) error {
	files, err := embedded()
	if err != nil {
		return err
	}
	var all []listed
	for _, file := range files {
		f, err := open(file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(path.Base(file), ".yaml")
		all = append(all, listed{name, f.Path, f.Name, f.About, f.Source, append([]string{}, f.Policies...)})
	}
	if c.JSON {
		e := json.NewEncoder(k.Stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	var t lines
	for _, l := range all {
		t = append(t, [3]string{l.Name, l.Title, strings.Join(l.Policies, ", ")})
	}
	t.write(k.Stdout)
	return nil
}
