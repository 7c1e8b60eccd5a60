package queue

import (
	"testing"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestYieldIsBounded: an arrival displaces no more than MaxYield, and where that
// is not enough nobody.
func TestYieldIsBounded(t *testing.T) {
	for n := MaxYield; n <= MaxYield+1; n++ {
		q := New()
		q.Configure(0, Config{Places: 1000, MaxBytes: int64(n)})
		for range n {
			q.Push(0, &Item{Bytes: 1, Rank: class.RankOf(class.Sheddable, 0), Leave: Never})
		}
		it := &Item{Bytes: int64(n), Rank: class.RankOf(class.Critical, 0), Leave: Never}
		p, gone := q.Push(0, it), 0
		for ; p.Verdict == Again; p = q.Push(0, it) {
			gone++
		}
		switch {
		case n == MaxYield && (p.Verdict != Queued || gone != MaxYield-1 || q.Depth() != 1):
			t.Errorf("%d of one byte, one of %d: verdict %d after %d others, %d wait", n, n, p.Verdict, gone, q.Depth())
		case n > MaxYield && (p.Verdict != Refused || gone != 0 || q.Depth() != n):
			t.Errorf("%d of one byte, one of %d: verdict %d after %d others, %d wait", n, n, p.Verdict, gone, q.Depth())
		}
	}
}

// TestEqualsYieldOneForOne: what is no more important does not displace
// several, whatever the policy.
func TestEqualsYieldOneForOne(t *testing.T) {
	q := New()
	q.Configure(0, Config{Places: 3, MaxBytes: 10, Full: DropOldest})
	for range 3 {
		q.Push(0, &Item{Bytes: 3, Leave: Never})
	}
	if p := q.Push(0, &Item{Bytes: 5, Leave: Never}); p.Verdict != Refused {
		t.Errorf("verdict %d, want refused: one that goes is not enough", p.Verdict)
	}
	if p := q.Push(0, &Item{Bytes: 4, Leave: Never}); p.Verdict != Queued || p.Evicted == nil {
		t.Errorf("verdict %d, want queued in the place of the oldest", p.Verdict)
	}
	if got := q.Bytes(); got != 10 {
		t.Errorf("%d bytes wait, want 10", got)
	}
}
