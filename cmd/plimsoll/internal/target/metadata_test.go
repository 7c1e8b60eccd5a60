package target

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
)

// What gRPC would not send, or not without failing, is found before anything is
// sent, and what is none of that arrives.
func TestHeadersOfGRPC(t *testing.T) {
	rest(t)
	var said metadata.MD
	base := serveGRPC(t, both, func(ctx context.Context, _ *testgrpc.SimpleRequest) error {
		said, _ = metadata.FromIncomingContext(ctx)
		return nil
	})
	wrong := unaryClass("")
	wrong.Header = http.Header{"User-Agent": {"me"}, "Content-Type": {"text/plain"}, "Grpc-Timeout": {"1S"}, "X*Y": {"z"}, "X-Caf\u00e9": {"z"}, "X-Town": {"Z\u00fcrich"}}
	_, err := Dial(parse(t, base), []*mix.Class{wrong}, Options{TenantHeader: "Te", LevelHeader: "X~Level"})
	wantFaults(t, err, "header User-Agent: gRPC says that itself", "header Content-Type: gRPC", "header Grpc-Timeout: gRPC", "header X*Y: gRPC wants a name",
		"X-Caf", "header X-Town: \"Z\u00fcrich\" is not printable", "header Te: gRPC", "header X~level: gRPC wants")
	if n := len(slices.Collect(strings.Lines(err.Error()))); n != 8 {
		t.Errorf("%d faults:\n%v", n, err)
	}
	c := unaryClass("")
	c.Header = http.Header{"X-Town-Bin": {"Z\u00fcrich"}, "X_y.z": {"~ !"}, "Accept": {"a", "b"}}
	to := dial(t, base, Options{}, c)
	reach(t, to)
	if a := to.Try(t.Context(), request(c), 1, long); a != good {
		t.Fatalf("%+v", a)
	}
	for name, want := range map[string]string{"x-town-bin": "Z\u00fcrich", "x_y.z": "~ !", "accept": "a,b"} {
		if got := strings.Join(said.Get(name), ","); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	r := request(c)
	r.Tenant = "Z\u00fcrich"
	if a := to.Try(t.Context(), r, 1, long); a != unsayable {
		t.Errorf("a tenant that cannot be said: %+v", a)
	}
}

// Faults of headers come in the order of their names, every time.
func TestFaultsOfHeadersAreInOrder(t *testing.T) {
	h := http.Header{"Te": {"a"}, "Content-Type": {"b"}, "X-Name": {"ü"}, "User-Agent": {"d"}, "A!": {"e"}, "X-Bin": {"ü"}} // the last is coded
	var names []string
	for range 20 {
		for _, err := range checkMetadata(h, "X-Tenant", "X-Level") {
			name, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "header "), ":")
			names = append(names, name)
		}
	}
	want := []string{"A!", "Content-Type", "Te", "User-Agent", "X-Name"}
	if !slices.Equal(names, slices.Repeat(want, 20)) {
		t.Errorf("have %q", names)
	}
}
