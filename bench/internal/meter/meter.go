package meter

import (
	"runtime"
	"syscall"
	"time"
)

// Sample is what one loop cost.
type Sample struct {
	Ops     int           // operations it did
	CPU     time.Duration // user and system time of the process
	Wall    time.Duration
	Mallocs uint64 // heap objects
	Bytes   uint64 // heap bytes
}

// Run measures f, which does ops operations. The garbage of what ran before is
// collected first, so that nobody pays for another's.
func Run(ops int, f func()) Sample {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, wall := CPU(), time.Now()
	f()
	s := Sample{Ops: ops, CPU: CPU() - cpu, Wall: time.Since(wall)}
	runtime.ReadMemStats(&after)
	s.Mallocs, s.Bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	return s
}

// CPU returns the processor time that this process has used, in steps of a
// microsecond.
func CPU() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic("meter: getrusage: " + err.Error())
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// CPUPerOp returns nanoseconds of processor time for one operation on each of
// the processors in use: what one operation takes on the wall when the machine
// does nothing else.
func (s Sample) CPUPerOp(processors int) float64 {
	return float64(s.CPU) / float64(s.Ops) / float64(processors)
}

// WallPerOp returns nanoseconds on the wall for one operation.
func (s Sample) WallPerOp() float64 { return float64(s.Wall) / float64(s.Ops) }

// MallocsPerOp returns heap objects for one operation.
func (s Sample) MallocsPerOp() float64 { return float64(s.Mallocs) / float64(s.Ops) }

// BytesPerOp returns heap bytes for one operation.
func (s Sample) BytesPerOp() float64 { return float64(s.Bytes) / float64(s.Ops) }

// Calibrate returns how many operations take about the given processor time,
// by running f with more and more of them. Of two runs the quicker counts: a
// stall must not pass for work, or samples would be far too short and measure
// their own beginning.
func Calibrate(want time.Duration, f func(ops int)) int {
	run := func(ops int) time.Duration {
		before := CPU()
		f(ops)
		return max(CPU()-before, time.Microsecond)
	}
	for ops := 64; ; {
		used := min(run(ops), run(ops))
		scale := float64(want) / float64(used)
		if scale <= 2 || ops >= 1<<30 {
			return max(1, int(float64(ops)*scale))
		}
		ops = int(float64(ops) * min(scale, 8))
	}
}
