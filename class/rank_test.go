package class

import "testing"

func TestRank(t *testing.T) {
	last := Rank(0)
	for c := Sheddable; c <= CriticalPlus; c++ {
		for l := Level(0); l <= MaxLevel; l++ {
			r := RankOf(c, l)
			if r <= last {
				t.Fatalf("RankOf(%v, %d) = %d, want more than the one below, %d", c, l, r, last)
			}
			if r.Criticality() != c || r.Level() != l {
				t.Fatalf("RankOf(%v, %d) is taken apart to %v, %d", c, l, r.Criticality(), r.Level())
			}
			last = r
		}
	}
	if last != MaxRank {
		t.Errorf("the highest rank is %d, want MaxRank, %d", last, MaxRank)
	}
	if got, want := RankOf(Unset, 5), RankOf(Critical, 5); got != want {
		t.Errorf("Unset ranks %v, want %v", got, want)
	}
	if got, want := RankOf(Sheddable, 255), RankOf(Sheddable, MaxLevel); got != want {
		t.Errorf("a level above the highest ranks %v, want %v", got, want)
	}
	if got := RankOf(SheddablePlus, 12).String(); got != "SHEDDABLE_PLUS/12" {
		t.Errorf("String: %q", got)
	}
	if got := Rank(0).String(); got != "NONE" {
		t.Errorf("String of zero: %q", got)
	}
}
