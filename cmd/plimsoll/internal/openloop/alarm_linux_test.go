package openloop

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// TestAlarmRings: it is set for the time that was asked for last, and rings as
// often as it is set, although nobody reads that it has.
func TestAlarmRings(t *testing.T) {
	a, err := NewAlarm()
	if err != nil {
		t.Fatal(err)
	}
	var left unix.ItimerSpec
	var rung [2]int
	a.In(ms)
	a.In(time.Hour)
	err = a.conn.Control(func(fd uintptr) {
		if err := unix.TimerfdGettime(int(fd), &left); err != nil {
			t.Error(err)
		}
	})
	if d := time.Duration(left.Value.Nano()); err != nil || d > time.Hour || d < 30*time.Minute || left.Interval.Nano() != 0 {
		t.Errorf("%s are left of an hour, %v", d, err)
	}
	for i := range rung {
		a.In(ms)
		err := a.conn.Control(func(fd uintptr) {
			err := error(unix.EINTR) // by a signal of Go's own
			for err == unix.EINTR {
				rung[i], err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(wait.Patience.Milliseconds()))
			}
		})
		if err != nil || rung[i] != 1 {
			t.Errorf("it has not rung the %d. time: %v", i+1, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
