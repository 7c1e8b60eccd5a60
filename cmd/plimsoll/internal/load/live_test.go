package load

import (
	"bytes"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
)

// TestLiveIsALineASecond: rates are of the second that has passed, and what there
// was nothing of is left out.
func TestLiveIsALineASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := newLive(&out)
		p := plan(t, "step 100/s:1s, 200/s:1s, 50/s:1s", 0, mix.Class{Deadline: 100 * ms})
		p.Begun = l.follow
		play(t, t.Context(), p, &fake{serve: till(10*ms, 50*ms)})
		l.end()
		// What is due, or ends, at a whole second may be of this one or the next.
		want := `^  1 s  due 1\d\d/s  good \d+/s  open \d  p50 10(\.\d)? ms  p99 1[01](\.\d)? ms
  2 s  due (19|20)\d/s  good (9\d|1\d\d)/s  refused [89]\d/s  open \d+  p50 [56]\d(\.\d)? ms  p99 [56]\d(\.\d)? ms
(  3 s  due (4|5)\d/s  good [4-6]\d/s  open \d+  p50 \d+(\.\d)? ms  p99 \d+(\.\d)? ms
)?$`
		if got := out.String(); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s", got)
		}
	})
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		width int
		want  string
	}{{0, "1 µs"}, {3, "1 "}, {4, "1 µ"}, {5, "1 µs"}} {
		if got := fit("1 µs", tt.width); got != tt.want {
			t.Errorf("%d: %q, want %q", tt.width, got, tt.want)
		}
	}
}
