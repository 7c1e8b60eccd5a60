package grpcgate

import (
	"context"
	"testing"

	"google.golang.org/grpc"

	"github.com/plimsoll-go/plimsoll/client"
)

// TestAStreamThatPanicsGivesItsPlaceBack: as a call does.
func TestAStreamThatPanicsGivesItsPlaceBack(t *testing.T) {
	c, err := client.New(client.Config{MaxInFlight: 1})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
		panic("of another interceptor")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not go on")
			}
		}()
		StreamClientInterceptor(c)(t.Context(), &grpc.StreamDesc{}, nil, "/s/m", begin)
	}()
	if s := c.Status(); s.InFlight != 0 {
		t.Errorf("%d in flight", s.InFlight)
	}
}
