//go:build !race

package capture

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/httpgate"
)

// A request that is recorded costs no memory.
func TestRecordsAllocateNothing(t *testing.T) {
	var counts Counts
	r := New(Config{Key: []byte("key"), Counts: &counts})
	w := r.Of("shop")
	if n := testing.AllocsPerRun(1000, func() {
		w.Left(w.Arrived(httpgate.Arrived{Tenant: "tenant-4711"}), time.Millisecond)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
