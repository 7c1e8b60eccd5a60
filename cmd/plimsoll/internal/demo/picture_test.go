package demo

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file in testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s; look at what go test -update makes of it", file)
	}
}

func TestPictureIsAsItWas(t *testing.T) { golden(t, "picture", tale().svg()) }

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
	const line = 44 + 2 // the steps, and both ends
	for class, want := range map[string]int{"offered": line, "throughput": line, "goodput": line + 2, "wasted": line + 2} {
		if points[class] != 2*want {
			t.Errorf("%s: %d points in two plots, want %d", class, points[class], 2*want)
		}
	}
	for _, want := range []string{">12 %<", ">98 %<", "lost: 1382 of 1472", "lost: 0 of 1472", "none within 4 s", "0.25 s after", "overload 2×", "capacity, 460/s"} {
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

func TestCurve(t *testing.T) {
	p := plot{left: 100, length: 2 * time.Second, rates: scale{50, 2}}
	got := strings.Join(p.curve(time.Second, []float64{0, 100}), " ")
	if want := "100.0,354.0 191.5,354.0 374.5,170.0 466.0,170.0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNiceScale(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		n    int
		want scale
	}{
		{22, 6, scale{5, 5}},
		{9.8, 6, scale{2, 5}},
		{1050, 6, scale{200, 6}},
		{1200, 6, scale{200, 6}},
		{1201, 6, scale{500, 3}},
		{6, 6, scale{1, 6}},
		{0.7, 6, scale{0.2, 4}},
	} {
		got := niceScale(tt.v, tt.n)
		if got.marks != tt.want.marks || got.step/tt.want.step < 0.999 || got.step/tt.want.step > 1.001 {
			t.Errorf("%g in %d: %v, want %v", tt.v, tt.n, got, tt.want)
		}
	}
}
