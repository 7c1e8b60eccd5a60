package admin

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:9090":        "http://127.0.0.1:9090",
		":9090":                 "http://127.0.0.1:9090",
		"[::1]:9090":            "http://[::1]:9090",
		"shop.example:9":        "http://shop.example:9",
		"http://shop.example":   "http://shop.example",
		"https://shop:1/inside": "https://shop:1/inside",
		"":                      "",
		"shop":                  "",
		"9090":                  "",
		"ftp://shop:1":          "",
		"shop:port":             "",
		"http://shop?x":         "",
	} {
		p, err := Parse(text)
		switch {
		case err != nil && want != "":
			t.Errorf("%q: %v", text, err)
		case err == nil && p.String() != want:
			t.Errorf("%q: %s, want %q", text, p, want)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		status     int
		body, says string
		gates      []string
	}{
		{status: 200, body: `{"version": 1, "gates": ["shop"]}`, gates: []string{"shop"}},
		{status: 404, body: "there is no gate \"x\"\n", says: `404 Not Found: there is no gate "x"`},
		{status: 200, body: "<html>", says: "not the admin port of a proxy"},
	} {
		var asked string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.Method + " " + r.URL.String()
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		p, err := Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		gates, err := p.Recover(t.Context(), "a b", 5*time.Second)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d: %v", c.status, err)
		}
		if !slices.Equal(gates, c.gates) || asked != "POST /recover?gate=a+b&ramp=5s" {
			t.Errorf("asked %s, was told %q", asked, gates)
		}
		server.Close()
		if _, err := p.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "no answer from the admin port") {
			t.Errorf("nobody there: %v", err)
		}
	}
}

func TestAnotherVersion(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"version": 2}`))
	}))
	defer server.Close()
	p, err := Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "has version 2") {
		t.Error(err)
	}
}
