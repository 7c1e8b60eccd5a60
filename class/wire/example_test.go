package wire_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// At the edge nobody is trusted: a caller can lower itself, no more.
func ExampleConfig_Read() {
	edge := &wire.Config{DefaultTimeout: 2 * time.Second}
	h := http.Header{}
	h.Set("X-Request-Timeout-Ms", "60000")
	h.Set("X-Request-Criticality", "critical_plus")
	in := edge.Read(h)
	fmt.Println(in.Criticality, in.Timeout, in.Clamped)

	h.Set("X-Request-Timeout-Ms", "0")
	h.Set("X-Request-Criticality", "sheddable")
	in = edge.Read(h)
	fmt.Println(in.Criticality, in.Expired)
	// Output:
	// CRITICAL 2s true
	// SHEDDABLE true
}

// A hop passes on what is left, less what the way back takes.
func ExampleConfig_Write() {
	mesh := &wire.Config{Trusted: true}
	in := http.Header{}
	in.Set("X-Request-Timeout-Ms", "800")
	in.Set("X-Request-Criticality", "SHEDDABLE_PLUS")
	in.Set("Baggage", "user=7")
	got := mesh.Read(in)

	out := in.Clone()
	mesh.Write(out, got.Tag, class.Left(got.Timeout, 120*time.Millisecond, 5*time.Millisecond))
	fmt.Println(out.Get("X-Request-Timeout-Ms"))
	fmt.Println(out.Get("X-Request-Criticality"))
	fmt.Println(out.Get("Baggage"))
	// Output:
	// 675
	// SHEDDABLE_PLUS
	// user=7,criticality=sheddable_plus
}

func ExampleFrom() {
	ctx := wire.With(context.Background(), wire.Tag{Criticality: class.Sheddable, Tenant: "acme"})
	child, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	t := wire.From(child)
	fmt.Println(t.Criticality, t.Tenant)
	// Output: SHEDDABLE acme
}

func ExampleEncodeGRPCTimeout() {
	for _, d := range []time.Duration{1500 * time.Millisecond, time.Hour, -time.Second} {
		fmt.Println(wire.EncodeGRPCTimeout(d))
	}
	// Output:
	// 1500000u
	// 3600000m
	// 0n
}
