package bounds

import (
	"slices"
	"strings"
	"testing"
)

func TestNotInForce(t *testing.T) {
	running := Of(read(t, minimal), calm)
	if w := running.NotInForce(running); w != nil {
		t.Errorf("the same differs: %v", w)
	}
	file := Of(read(t, "listeners: [{address: ':8080', maxStreams: 9}, {address: ':81'}]\nroutes: [{name: buy}]"+minimal), calm)
	var said []string
	for _, w := range file.NotInForce(running) {
		said = append(said, w.String())
	}
	want := []string{
		"gate.yaml:1: listeners[0].maxStreams: the running proxy has 250 for streams of one HTTP/2 connection at listener :8080, and not 9; reload it",
		"listeners[1].maxConnections (default): the running proxy has no listener :81; reload or restart it",
		"timeout (default): the running proxy has no bound of time of buy at gate shop; reload it",
		"timeout (default): the running proxy has no bound of time until an answer to buy begins at upstream shop; reload it",
	}
	if !slices.Equal(said, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}
