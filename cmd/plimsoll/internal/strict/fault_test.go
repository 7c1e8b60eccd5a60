package strict

import (
	"errors"
	"fmt"
	"testing"
)

func TestFaultsOf(t *testing.T) {
	var r Reader
	r.Want(Value{Key: "--limit"}, "a number")
	r.Want(Value{Key: "limit", File: "gate.yaml", Line: 3}, "a number")
	const all = "gate.yaml:3: limit: want a number\n--limit: want a number"
	if f, ok := FaultsOf(fmt.Errorf("wrapped: %w", r.Faults.Err())); !ok || f.Error() != all {
		t.Errorf("have %v, %v", f, ok)
	}
	if _, ok := FaultsOf(errors.New("another")); ok {
		t.Error("another error is faults")
	}
	if Faults(nil).Err() != nil {
		t.Error("no faults are an error")
	}
}
