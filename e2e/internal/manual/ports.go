package manual

import (
	"net"
	"regexp"
	"slices"

	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
)

// port is what pages have for ports: 8000 to 8099 and 9000 to 9099.
var port = regexp.MustCompile(`\b[89]0\d\d\b`)

// Ports gives every port that a page names one at which nobody listens.
type Ports struct{ real, named map[string]string }

// NewPorts finds a port for each that the blocks name, and for others.
func NewPorts(blocks []Block, others ...string) (Ports, error) {
	all := others
	for _, b := range blocks {
		all = append(all, port.FindAllString(b.Text, -1)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	p := Ports{map[string]string{}, map[string]string{}}
	if len(all) == 0 {
		return p, nil
	}
	free, err := process.Ports(len(all))
	if err != nil {
		return p, err
	}
	for i, addr := range free {
		_, n, err := net.SplitHostPort(addr)
		if err != nil {
			return p, err
		}
		p.real[all[i]], p.named[n] = n, all[i]
	}
	return p, nil
}

// Real is a text of the page with the ports that take the place of its own.
func (p Ports) Real(text string) string {
	return port.ReplaceAllStringFunc(text, func(n string) string { return p.real[n] })
}

var fiveDigits = regexp.MustCompile(`\b\d{5}\b`)

// Named is an output with the page's ports again.
func (p Ports) Named(text string) string {
	return fiveDigits.ReplaceAllStringFunc(text, func(n string) string {
		if named, ok := p.named[n]; ok {
			return named
		}
		return n
	})
}
