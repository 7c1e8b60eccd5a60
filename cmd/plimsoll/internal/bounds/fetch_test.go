package bounds

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestFetchAndCompare(t *testing.T) {
	c, places := read(t, minimal)
	now := calm
	now.Process = 42
	running := Of(c, places, now)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/bounds" {
			t.Errorf("asked for %s", r.URL)
		}
		if err := json.NewEncoder(w).Encode(running); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	have, err := Fetch(t.Context(), strings.TrimPrefix(server.URL, "http://"))
	if err != nil || !have.Live || have.Reading.Process != 42 || len(have.Bounds) != len(running.Bounds) {
		t.Fatalf("%+v, %v", have, err)
	}
	if w := running.NotInForce(have); w != nil {
		t.Errorf("the same differs: %v", w)
	}
	c, places = read(t, "listeners: [{address: ':8080', maxStreams: 9}, {address: ':81'}]\nroutes: [{name: buy}]"+minimal)
	var said []string
	for _, w := range Of(c, places, now).NotInForce(have) {
		said = append(said, w.String())
	}
	want := []string{
		"gate.yaml:1: listeners[0].maxStreams: the running proxy has 250 for streams of one HTTP/2 connection at listener :8080, and not 9; reload it",
		"listeners[1].maxConnections (default): the running proxy has no listener :81; reload it",
		"timeout (default): the running proxy has no bound of time of buy at gate shop; reload it",
		"timeout (default): the running proxy has no bound of time until an answer to buy begins at upstream shop; reload it",
	}
	if !slices.Equal(said, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}

func TestFetchFromWhatIsNoProxy(t *testing.T) {
	for _, answer := range []string{"", "{}", "not JSON", `{"bounds": null}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
		if _, err := Fetch(t.Context(), strings.TrimPrefix(server.URL, "http://")); err == nil || !strings.Contains(err.Error(), "no proxy that knows its bounds (status 200)") {
			t.Errorf("%q: %v", answer, err)
		}
		server.Close()
	}
}

func TestReachable(t *testing.T) {
	for address, want := range map[string]string{
		":9090": "localhost:9090", "0.0.0.0:1": "localhost:1", "[::]:1": "localhost:1", "10.0.0.1:1": "10.0.0.1:1", "admin:1": "admin:1",
	} {
		if got := reachable(address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}
