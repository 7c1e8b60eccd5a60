package config

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Percent is a part of a whole, from 0 to 100.
type Percent float64

// String returns the number with its sign.
func (p Percent) String() string { return strconv.FormatFloat(float64(p), 'f', -1, 64) + "%" }

// Share is the part as a factor, from 0 to 1.
func (p Percent) Share() float64 { return float64(p) / 100 }

const percentForm = `^[0-9]{1,3}(\.[0-9]{1,9})?%$`

var percents = regexp.MustCompile(percentForm)

// percent reads a number with its sign, from least to most.
func percent(least, most Percent) kind[Percent] {
	return kind[Percent]{
		read: func(r *reader, v strict.Value, to *Percent) {
			p, err := strconv.ParseFloat(strings.TrimSuffix(v.Text, "%"), 64)
			if !v.Scalar("!!str") || !percents.MatchString(v.Text) || err != nil || Percent(p) < least || Percent(p) > most {
				r.WantNot(v, "a part from %s to %s, with its sign", least, most)
				return
			}
			*to = Percent(p)
		},
		node:   func(p Percent) *yaml.Node { return text(p.String()) },
		schema: schema{"type": "string", "pattern": percentForm},
		shape:  "part, such as 10%",
	}
}

// shares reads what criticalities are guaranteed.
var shares = kind[queue.Shares]{
	read: readShares,
	node: func(s queue.Shares) *yaml.Node {
		if !s.Any() {
			return nil
		}
		n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		for _, c := range class.All() {
			if part := s[c.Lane()]; part > 0 {
				n.Content = append(n.Content, text(c.String()), text(Percent(part).String()))
			}
		}
		return n
	},
	schema: schema{
		"type": "object", "propertyNames": criticality.schema,
		"additionalProperties": schema{"type": "string", "pattern": `^[0-9]{1,3}%$`},
	},
	shape: "criticalities with parts",
}

func readShares(r *reader, v strict.Value, to *queue.Shares) {
	*to = queue.Shares{}
	known := make([]string, 0, class.Count)
	for _, c := range class.All() {
		known = append(known, c.String())
	}
	sum, whole := Percent(0), true
	r.Object(v, known, func(name string, v strict.Value) {
		var p Percent
		before := len(r.Faults)
		if percent(0, 100).read(r, v, &p); p != Percent(int(p)) {
			r.WantNot(v, "a whole number of percent")
		}
		whole = whole && len(r.Faults) == before
		c, _ := class.Parse(name) // it is one of known
		to[c.Lane()] = int(p)
		sum += p
	})
	if whole && sum > 100 {
		r.Want(v, "100%% at most together, have %s", sum)
	}
}
