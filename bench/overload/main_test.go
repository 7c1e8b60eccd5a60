package main

import (
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/bench/internal/overload"
)

func TestCheckReportsEveryFault(t *testing.T) {
	if err := defaults().check(nil); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	err := plan{only: "everything"}.check([]string{"x"})
	for _, want := range []string{"flags only", "--rounds", "--only", "a length", "a load", "a deadline", "measure the capacity"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

func TestCommand(t *testing.T) {
	if got := command([]string{"--rounds", "3"}); got != "make overload OVERLOAD_FLAGS='--rounds 3'" {
		t.Error(got)
	}
	if got := command(nil); got != "make overload" {
		t.Error(got)
	}
}

func TestAloneSaysWhatIsWrong(t *testing.T) {
	for _, order := range []string{"", `{"Policy":"nobody"}`} {
		if err := alone(order); err == nil {
			t.Errorf("%q: no error", order)
		}
	}
	if names := overload.Policies(); names[0] != overload.Plimsoll || len(names) < 6 {
		t.Errorf("%q", names)
	}
}
