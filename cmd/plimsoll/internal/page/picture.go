package page

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
)

// The measures of a picture of maps.
const (
	pictureMap    = 226 // the width of a map
	pictureHeight = 196
	pictureEdge   = 20
	pictureHead   = 88 // title, what the colours mean
	pictureTitle  = 36 // of a part
	pictureName   = 20 // of a map
)

// pictureStyle is what a picture needs that the page has from its own style.
const pictureStyle = `
text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:var(--quiet)}
.head{font-size:17px;font-weight:600;fill:var(--ink)}.title{font-size:15px;font-weight:600;fill:var(--ink)}
.name{font-size:12.5px;font-weight:600;fill:var(--ink)}.note{font-size:12px}
.sheet{fill:var(--card);stroke:var(--line)}
`

// WritePicture writes the maps of a sweep as one SVG that stands alone. The
// error is the writer's, or that there are no maps.
func WritePicture(w io.Writer, s Sweep) error {
	columns := 0
	for _, p := range s.Parts {
		columns = max(columns, len(p.Maps))
	}
	if columns == 0 {
		return errors.New("a picture is drawn of maps: vary two numbers")
	}
	const part = pictureTitle + pictureName + pictureHeight
	width, height := max(2*pictureEdge+columns*pictureMap, 640), pictureHead+len(s.Parts)*part+pictureEdge

	var b strings.Builder
	plot.Open(&b, "", width, height, s.Name, s.inWords())
	fmt.Fprintf(&b, "<style>\n%s%s%s</style>\n", colours, marks, pictureStyle)
	fmt.Fprintf(&b, `<rect class="sheet" x=".5" y=".5" width="%d" height="%d" rx="8"/>`+"\n", width-1, height-1)
	plot.Text(&b, "head", pictureEdge, 34, s.Name)
	s.ramp(&b, pictureEdge, 56)
	for i, p := range s.Parts {
		top := pictureHead + i*part
		plot.Text(&b, "title", pictureEdge, float64(top+26), p.Title)
		for j, m := range p.Maps {
			left := pictureEdge + j*pictureMap
			plot.Text(&b, "name", float64(left+52), float64(top+pictureTitle+13), m.Name)
			m.Cells = slices.Clone(m.Cells)
			for i := range m.Cells {
				m.Cells[i].Title = "" // nothing points at a picture
			}
			s.mapAt(&b, float64(left), float64(top+pictureTitle+pictureName), pictureMap, pictureHeight, m)
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// ramp says what the colours and the outline mean.
func (s *Sweep) ramp(b *strings.Builder, x, y float64) {
	const step = 16
	plot.Text(b, "note", x, y+10, "goodput at the end of the run, of what could be served then")
	x += 396 // wide enough for a wide font
	fmt.Fprintf(b, `<text class="note" text-anchor="end" x="%g" y="%g">0 %%</text>`+"\n", x-6, y+10)
	for i := range 11 {
		fmt.Fprintf(b, `<rect class="s%d" x="%g" y="%g" width="16.5" height="12"/>`+"\n", i, x+float64(step*i), y)
	}
	x += 11 * step
	plot.Text(b, "note", x+6, y+10, "100 %")
	fmt.Fprintf(b, `<path class="region" d="M%g %gh22v12h-22z"/>`+"\n", x+66, y)
	plot.Text(b, "note", x+96, y+10, "stays down")
}

// inWords is what the picture says, for who cannot see it.
func (s *Sweep) inWords() string {
	var parts []string
	for _, p := range s.Parts {
		for _, m := range p.Maps {
			parts = append(parts, p.title(m.Name)+": "+m.Caption+".")
		}
	}
	return strings.Join(parts, " ")
}
