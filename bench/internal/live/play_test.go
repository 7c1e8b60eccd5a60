package live

import (
	"os"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/fronts"
	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// TestPlay plays a short row on real processes, without a front and with the
// proxy. Whether the run counts is the machine's; what has to be there is there.
func TestPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program, and ten seconds")
	}
	program, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := Stage{Facts: known, Self: os.Args[0], Plimsoll: program, Folder: t.TempDir(), Closed: 300 * time.Millisecond}
	row := Rows(Lengths{1, 2, 1})[3]
	for _, f := range fronts.All {
		if f.Name != fronts.Nothing && f.Name != fronts.Plimsoll {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			got, err := s.Play(t.Context(), f, program, row, known.Capacity(), 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", got)
			for i, c := range got.Classes {
				if c.Offered == 0 || c.Good > c.Offered {
					t.Errorf("%s: %+v", Classes[i], c)
				}
			}
			if got.Front != f.Name || got.Row != "2x" || !got.Recovers || got.Idle > 1 || (got.CPU > 0) != (f.Name != fronts.Nothing) {
				t.Errorf("%+v", got)
			}
		})
	}
	if left, err := os.ReadDir(s.Folder); err != nil || len(left) > 0 {
		t.Errorf("%v, %v: files that are left", left, err)
	}
}
