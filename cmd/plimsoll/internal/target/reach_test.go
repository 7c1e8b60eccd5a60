package target

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
)

// Who cannot be reached is a fault that says what to do.
func TestReach(t *testing.T) {
	rest(t)
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	plain, secure := httptest.NewServer(nothing), httptest.NewUnstartedServer(nothing)
	secure.Config.ErrorLog = silent
	secure.StartTLS()
	defer plain.Close()
	defer secure.Close()
	for _, tt := range []struct {
		base    string
		options Options
		want    string // "": it is reached
	}{
		{plain.URL, Options{}, ""},
		{secure.URL, Options{Insecure: true}, ""},
		{secure.URL, Options{}, "--ca FILE"},
		{strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), Options{CA: authority(t, secure)}, "is this the service that is meant?"},
		{strings.Replace(plain.URL, "http://", "https://", 1), Options{}, "want http://?"},
		{strings.Replace(plain.URL, "http://", "grpcs://", 1), Options{}, "want grpc://?"},
		{"http://127.0.0.1:1", Options{}, "start the service first"},
		{"http://nobody.invalid", Options{}, "is the host's name right?"},
	} {
		c := &mix.Class{Name: "a"}
		if strings.HasPrefix(tt.base, "grpc") {
			c = unaryClass("")
		}
		err := dial(t, tt.base, tt.options, c).Reach(t.Context())
		if tt.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		wantFaults(t, err, tt.base, tt.want)
	}
}

// What is wrong with a URL, with what is said of TLS, and with classes.
func TestDialFaults(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	classes := []*mix.Class{
		{Name: "a", Method: "GET IT", Path: "/%zz"},
		{Name: "b", Header: http.Header{"Content-Length": {"3"}, "X Y": {"z"}, "Z": {"\x00"}}},
	}
	for _, tt := range []struct {
		base    string
		options Options
		wants   []string
	}{
		{"https://127.0.0.1:1", Options{CA: empty}, []string{
			"want certificates in PEM", `class a: method "GET IT"`, `class a: path "/%zz"`, "class b: header Content-Length", `class b: header "X Y"`, "class b: header Z",
		}},
		{"https://127.0.0.1:1", Options{CA: "missing.pem"}, []string{"missing.pem"}},
		{"http://127.0.0.1:1", Options{Insecure: true}, []string{"--insecure: want none without TLS"}},
		{"ftp://127.0.0.1:1", Options{}, []string{"want http://host:port"}},
		{"http://127.0.0.1:1/?q=a b", Options{}, []string{"want spaces and the like in the query encoded"}},
		{"http://", Options{}, []string{"want a host"}},
		{"http://127.0.0.1:0", Options{}, []string{"want a port from 1 to 65535, have 0"}},
		{"http://127.0.0.1:99999", Options{}, []string{"want a port from 1 to 65535, have 99999"}},
	} {
		_, err := Dial(parse(t, tt.base), classes, tt.options)
		wantFaults(t, err, tt.wants...)
	}
}

// Descriptors are of calls of gRPC, and of nothing where there are none.
func TestDescriptorsOfNoCall(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.pb")
	if err := os.WriteFile(known, nil, 0o600); err != nil { // a set of none
		t.Fatal(err)
	}
	_, err := Dial(parse(t, "http://127.0.0.1:1"), []*mix.Class{{Name: "a"}}, Options{Descriptors: known})
	wantFaults(t, err, "--descriptors: want none: no class is of gRPC")
}
