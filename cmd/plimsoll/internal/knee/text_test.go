package knee

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/internal/golden"
)

func TestText(t *testing.T) {
	for name, tt := range map[string]struct {
		c  Config
		of func(Probe) (Point, error)
	}{
		"gated":     {Config{Start: 40}, gated(460)},
		"collapse":  {Config{Start: 40}, collapsing(460, 2)},
		"for-good":  {Config{Start: 40}, collapsing(460, 1e9)},
		"generator": {Config{Start: 1000}, weak(gated(1e6), 3000)},
		"nothing":   {Config{}, func(p Probe) (Point, error) { return Point{Seconds: 4, Offered: p.Rate}, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Find(tt.c, tt.of)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := Write(&b, &r); err != nil {
				t.Fatal(err)
			}
			golden.File(t, "testdata/"+name+".txt", b.String())
			data, err := json.Marshal(r)
			if err != nil || !strings.Contains(string(data), `"version":1`) {
				t.Errorf("%s, %v", data, err)
			}
		})
	}
}

func TestTextOfNothing(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, &Report{}); err != nil || b.String() != "knee      none was found\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
