package heap

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

const floor = 16 << 20

// heapGoal is the size at which the heap is collected next.
func heapGoal() uint64 {
	runtime.GC()
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(goal)
	return goal[0].Value.Uint64()
}

func TestTheHeapHasAFloor(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := heapGoal()
	kept := Floor(floor)
	after := heapGoal()
	runtime.KeepAlive(kept)
	// The block, and as much again before it is collected; the rest of the
	// heap has changed by a little meanwhile.
	if after < before+floor || after < 2*floor {
		t.Errorf("the goal went from %d to %d bytes, want a floor of %d above what is held", before, after, floor)
	}
}

func TestTheHeapIsWhatItsUserSays(t *testing.T) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOGC", "")
			t.Setenv("GOMEMLIMIT", "")
			t.Setenv(name, "100")
			if kept := Floor(floor); kept != nil {
				t.Errorf("%d bytes are held in spite of %s", len(kept), name)
			}
		})
	}
}
