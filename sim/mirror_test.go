package sim_test

import (
	"reflect"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/sim"
)

// TestGateMirrorsConfig: whatever a live gate can be told, a simulated one can,
// by the same name. A name is of no use here, nor is an age that only counts, nor who is told.
func TestGateMirrorsConfig(t *testing.T) {
	live, here := reflect.TypeFor[plimsoll.Config](), reflect.TypeFor[sim.Gate]()
	for f := range live.NumField() {
		field := live.Field(f)
		switch field.Name {
		case "Name", "MaxHold", "OnTier":
			continue
		}
		got, ok := here.FieldByName(field.Name)
		if !ok {
			t.Errorf("sim.Gate has no %s", field.Name)
		} else if field.Name != "Limit" && got.Type != field.Type {
			t.Errorf("sim.Gate.%s is a %v, want %v", field.Name, got.Type, field.Type)
		}
	}
	if got, want := here.NumField(), live.NumField()-3; got != want {
		t.Errorf("sim.Gate has %d fields, want %d", got, want)
	}
}
