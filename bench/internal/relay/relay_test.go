package relay

import (
	"os"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
	"github.com/plimsoll-go/plimsoll/bench/internal/web"
)

// TestMain lets the test's binary be the parts.
func TestMain(m *testing.M) {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == ServiceCommand:
		err = Service(os.Stdin, os.Stdout)
	case len(os.Args) == 3 && os.Args[1] == BareCommand:
		err = Bare(os.Args[2], os.Stdin, os.Stdout)
	case len(os.Args) == 2 && os.Args[1] == "clients":
		err = web.Load(os.Stdin, os.Stdout)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		panic(err)
	}
}

func TestEveryCaseIsMeasured(t *testing.T) {
	if err := Possible(); err != nil {
		t.Skip(err)
	}
	proxy, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, cases, err := Start(os.Args[0], "clients", proxy)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if len(cases) != 4 {
		t.Fatalf("%d cases", len(cases))
	}
	for i, c := range cases {
		n, err := c.Calibrate(5 * time.Millisecond)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		own, peer, err := c.Take(n, i%2 == 0)
		if err != nil || own.Ops < 1 || own.Ops != peer.Ops || own.CPU <= 0 || peer.CPU <= 0 {
			t.Errorf("%s: %+v beside %+v, %v", c.Name, own, peer, err)
		}
		if _, _, err := c.Allocations(n); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}
