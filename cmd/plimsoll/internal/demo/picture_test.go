package demo

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/internal/golden"
)

func TestPictureIsAsItWas(t *testing.T) { golden.File(t, "testdata/picture", tale().svg()) }

func TestPictureStandsAlone(t *testing.T) {
	svg := tale().svg()
	if len(svg) > 60_000 {
		t.Errorf("%d bytes", len(svg))
	}
	groups, points := 0, map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attributes := map[string]string{}
		for _, a := range e.Attr {
			attributes[a.Name.Local] = a.Value
			if strings.Contains(a.Name.Local, "href") || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
			}
		}
		switch e.Name.Local {
		case "script", "foreignObject", "image", "use":
			t.Errorf("<%s>", e.Name.Local)
		case "g":
			groups++
		case "polyline", "polygon":
			for _, point := range strings.Fields(attributes["points"]) {
				points[attributes["class"]]++
				inside(t, attributes["class"], point)
			}
		}
	}
	if groups != 2 {
		t.Errorf("%d plots", groups)
	}
	const line = 44 + 2 + 10 + 2 // the steps, and both ends, of what is played at once and apart
	for class, want := range map[string]int{"offered": line, "throughput": line, "goodput": line + 4, "wasted": line + 4} {
		if points[class] != 2*want {
			t.Errorf("%s: %d points in two plots, want %d", class, points[class], 2*want)
		}
	}
	for _, want := range []string{">12 %<", ">98 %<", "lost: 1382 of 1472", "lost: 0 of 1472", "none within 4 s", "0.25 s after", "merely slower: 3 of 920", "slower 0.5×", "overload 2×", "capacity, 460/s"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q", want)
		}
	}
}

// inside complains about a point that does not lie in a plot.
func inside(t *testing.T, class, point string) {
	t.Helper()
	left, right, _ := strings.Cut(point, ",")
	x, errX := strconv.ParseFloat(left, 64)
	y, errY := strconv.ParseFloat(right, 64)
	first := x >= firstPlot && x <= firstPlot+plotWidth
	second := x >= secondPlot && x <= secondPlot+plotWidth
	if errX != nil || errY != nil || !first && !second || y < plotTop || y > plotTop+plotHeight {
		t.Errorf("%s: a point at %s", class, point)
	}
}
