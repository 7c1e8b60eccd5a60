package grpcgate

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

func TestClientConfigNamesEveryFault(t *testing.T) {
	c := ClientConfig{
		Wire: wire.Config{Floor: -1},
		Rules: []ClientRule{
			{Methods: []string{"/a.B/*", "a.B/C"}, Need: -time.Second},
			{Methods: []string{"/a.B/*"}},
			{},
		},
	}
	err := c.Validate()
	for _, want := range []string{
		"ClientConfig.Wire:", `Rules[0].Methods: want /package.Service/Method, /package.Service/* or *, have "a.B/C"`,
		"Rules[0].Need: want a time of 0 or more, have -1s", "Rules[1].Methods: the pattern", "Rules[2].Methods: want a pattern or more",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := may.Validate(); err != nil {
		t.Error(err)
	}
}

func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"no gate":               func() { NewServer(nil, ServerConfig{}) },
		"a server's fault":      func() { NewServer(fixed(t, 1, plimsoll.Config{}), ServerConfig{MaxPushback: -1}) },
		"no gate to report":     func() { NewLoad(nil) },
		"no client":             func() { UnaryClientInterceptor(nil) },
		"no client for streams": func() { StreamClientInterceptor(nil) },
		"a fault":               func() { ClientConfig{Rules: []ClientRule{{}}}.UnaryClientInterceptor(rest.Client(t, client.Config{})) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "grpcgate: ") || strings.Contains(said, "plimsoll: ") {
					t.Errorf("%s: %q", name, said)
				}
			}()
			f()
		}()
	}
}

var insecurely = grpc.WithTransportCredentials(insecure.NewCredentials())

func ExampleClientConfig() {
	to, err := client.New(client.Config{Margin: 2 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	calls := ClientConfig{Rules: []ClientRule{
		{Methods: []string{"/shop.Catalogue/*"}, Idempotent: true},
		{Methods: []string{"/shop.Catalogue/Export"}, Idempotent: true, Need: 200 * time.Millisecond},
	}}
	conn, err := grpc.NewClient("dns:///catalogue:8080", insecurely,
		grpc.WithChainUnaryInterceptor(calls.UnaryClientInterceptor(to)),
		grpc.WithChainStreamInterceptor(calls.StreamClientInterceptor(to)))
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	// Output:
}
