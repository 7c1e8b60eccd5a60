package meter

import (
	"fmt"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const line = "4711 (a b) c) S 12 4711 4711 0 -1 4194560 100 0 0 0 250 50 7 8 20 0 1 0 1 1"
	if s, ok := parseStat(line); !ok || s != (stat{4711, 12, 3 * time.Second}) {
		t.Errorf("%+v %v", s, ok)
	}
	for _, bad := range []string{"", "1", "1 (a", "1 (a) S 12", "x (a) S 12 1 1 0 -1 1 1 0 0 0 1 1 0", "1 (a) S 12 1 1 0 -1 1 1 0 0 0 x 1 0"} {
		if s, ok := parseStat(bad); ok {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

func TestBelow(t *testing.T) {
	all := map[int]stat{}
	for _, s := range []stat{{pid: 1}, {pid: 2, parent: 1}, {pid: 3, parent: 2}, {pid: 4, parent: 1}, {pid: 5, parent: 6}, {pid: 6, parent: 5}} {
		all[s.pid] = s
	}
	var got []int
	for pid := range 7 {
		if below(all, pid, 2) {
			got = append(got, pid)
		}
	}
	if fmt.Sprint(got) != "[2 3]" {
		t.Errorf("%v, want 2 and its child", got)
	}
}
