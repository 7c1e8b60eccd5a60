package plot

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestCurve(t *testing.T) {
	f := Frame{Left: 100, Top: 170, Width: 366, Height: 184, Span: 2, Values: Scale{50, 2}}
	for _, tt := range []struct {
		first, end float64
		want       string
	}{
		{0.5, 2, "100.0,354.0 191.5,354.0 374.5,170.0 466.0,170.0"},
		{1, 2, "100.0,354.0 283.0,354.0 466.0,170.0 466.0,170.0"},
		{0.5, 1.2, "100.0,354.0 191.5,354.0 319.6,170.0 319.6,170.0"},
	} {
		if got := list(f.Curve(tt.first, 1, tt.end, []float64{0, 100})); got != tt.want {
			t.Errorf("from %g: got %s, want %s", tt.first, got, tt.want)
		}
	}
	if got := f.Curve(0.5, 1, 2, nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

func TestSteps(t *testing.T) {
	f := Frame{Left: 100, Top: 170, Width: 400, Height: 100, Span: 4, Values: Scale{10, 1}}
	var b strings.Builder
	f.Steps(&b, "p", 1, 4, []float64{0, 0, 5, 10})
	f.Steps(&b, "none", 1, 4, nil)
	if got, want := b.String(), `<path class="p" d="M100 270H300V220H400V170H500"/>`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNice(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		n    int
		want Scale
	}{
		{22, 6, Scale{5, 5}},
		{9.8, 6, Scale{2, 5}},
		{1050, 6, Scale{200, 6}},
		{1200, 6, Scale{200, 6}},
		{1201, 6, Scale{500, 3}},
		{6, 6, Scale{1, 6}},
		{0.7, 6, Scale{0.2, 4}},
		{0, 6, Scale{1, 1}},
	} {
		got := Nice(tt.v, tt.n)
		if got.Marks != tt.want.Marks || got.Step/tt.want.Step < 0.999 || got.Step/tt.want.Step > 1.001 {
			t.Errorf("%g in %d: %v, want %v", tt.v, tt.n, got, tt.want)
		}
	}
}

func TestLabel(t *testing.T) {
	for _, tt := range []struct {
		s    Scale
		mark int
		want string
	}{
		{Scale{0.1, 5}, 3, "0.3"},
		{Scale{0.05, 5}, 3, "0.15"},
		{Scale{200, 5}, 3, "600"},
		{Scale{2000, 4}, 4, "8000"},
		{Scale{5000, 6}, 4, "20k"},
		{Scale{500000, 3}, 3, "1500k"},
		{Scale{500, 20}, 3, "1.5k"},
		{Scale{5e6, 3}, 2, "10M"},
		{Scale{5e6, 3}, 0, "0"},
	} {
		if got := tt.s.Label(tt.mark); got != tt.want {
			t.Errorf("%v at %d: %q, want %q", tt.s, tt.mark, got, tt.want)
		}
	}
}

func TestDecades(t *testing.T) {
	d := Decades{Least: -3, N: 4, Name: func(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }}
	for _, tt := range []struct{ v, want float64 }{{0, 0}, {0.0001, 0}, {0.001, 0}, {0.1, 0.5}, {10, 1}} {
		if got := d.Share(tt.v); got < tt.want-1e-9 || got > tt.want+1e-9 {
			t.Errorf("%g: %g, want %g", tt.v, got, tt.want)
		}
	}
	if l := d.Lines(); len(l) != 5 || l[0].Label != "0.001" || l[4].Label != "10" {
		t.Errorf("lines %v", l)
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		length time.Duration
		want   string
	}{
		{22 * time.Second, "0 s, 5 s, 10 s, 15 s, 20 s"},
		{time.Minute, "0 s, 10 s, 20 s, 30 s, 40 s, 50 s, 60 s"},
		{90 * time.Second, "0 s, 20 s, 40 s, 60 s, 80 s"},
		{5 * time.Minute, "0 min, 1 min, 2 min, 3 min, 4 min, 5 min"},
		{24 * time.Hour, "0 h, 4 h, 8 h, 12 h, 16 h, 20 h, 24 h"},
		{700 * time.Millisecond, "0 s, 0.2 s, 0.4 s, 0.6 s"},
		{1, "0 s, 0.000000001 s"},
	} {
		var got []string
		for _, tick := range Ticks(tt.length, 6) {
			got = append(got, tick.Label)
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.length, got, tt.want)
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	var b strings.Builder
	Text(&b, "", 0, 0, `<script>"&'`)
	Open(&b, `"><`, 1, 1, "<b>", "a & b")
	for _, bad := range []string{"<script", "<b>", `""><`, "a & b"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q in %s", bad, b.String())
		}
	}
}
