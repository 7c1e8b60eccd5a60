package deaf

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

func TestAddressRefusesAndIsTaken(t *testing.T) {
	at := Address(t)
	if _, err := net.Dial("tcp", at); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("called: %v", err)
	}
	if l, err := net.Listen("tcp", at); err == nil {
		l.Close()
		t.Error("somebody else has got it")
	}
}
