package openloop

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Alarm wakes the process at a time, within a tenth of a millisecond on a
// machine that is not busy. Go's scheduler, when it has nothing to run, waits
// for events of the network, and for its next timer in whole milliseconds only;
// this is an event, a timer of the kernel's (timerfd_create(2)), upon which it
// finds that a timer of its own is due.
type Alarm struct {
	file  *os.File
	conn  syscall.RawConn
	ended sync.WaitGroup
}

// NewAlarm returns one that is not set. It has to be closed.
func NewAlarm() (*Alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("openloop: a timer of the kernel: %w", err)
	}
	a := &Alarm{file: os.NewFile(uintptr(fd), "alarm")}
	if a.conn, err = a.file.SyscallConn(); err != nil {
		return nil, fmt.Errorf("openloop: a timer of the kernel: %w", err)
	}
	// Nobody has to read it: each time that it is set makes another event.
	a.ended.Go(func() { _ = a.conn.Read(func(uintptr) bool { return false }) })
	return a, nil
}

// In has the process wake up after d, above 0; what was set before is forgotten.
func (a *Alarm) In(d time.Duration) {
	_ = a.conn.Control(func(fd uintptr) {
		at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
		_ = unix.TimerfdSettime(int(fd), 0, &at, nil)
	})
}

// Close ends it.
func (a *Alarm) Close() error {
	err := a.file.Close()
	a.ended.Wait()
	return err
}
