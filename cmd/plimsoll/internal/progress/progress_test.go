package progress

import (
	"bytes"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	var w bytes.Buffer
	l := Follow(&w, 3)
	l.Step()
	if got := l.String(); !strings.HasPrefix(got, "1 of 3 runs, ") {
		t.Errorf("have %q", got)
	}
	l.Part("R01")(2, 20)
	if got := l.String(); !strings.HasPrefix(got, "R01: 3 of 21 runs, ") {
		t.Errorf("have %q", got)
	}
	l.End()
	if w.Len() > 0 {
		t.Errorf("without a terminal it said %q", w.String())
	}
}
