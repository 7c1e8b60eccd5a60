package queue

import (
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/class"
)

// half guarantees sheddable work a quarter of the places, critical a half.
func half() (s Shares) {
	s[class.Sheddable.Lane()], s[class.Critical.Lane()] = 25, 50
	return s
}

func TestSharesOfPlaces(t *testing.T) {
	runTimelines(t, []timeline{
		{"what is lent is given back, what is one's own is not", Config{Places: 4, Shares: half()}, `
			0 push s1 crit=sheddable
			0 push s2 crit=sheddable
			0 push s3 crit=sheddable
			0 push s4 crit=sheddable
			0 push s5 crit=sheddable : refused
			1 push p1 crit=critical_plus : for s1
			1 push c1 : for s2
			1 push c2 : for s3
			1 push c3 : refused
			1 push p2 crit=critical_plus : refused
			1 push p3 crit=critical_plus level=1 : for p1
			1 push s6 crit=sheddable : refused
			2 drain : p3 c1 c2 s4`},
		{"a share is reclaimed from above", Config{Places: 4, Shares: half()}, `
			0 push p1 crit=critical_plus level=2
			0 push p2 crit=critical_plus level=1
			0 push p3 crit=critical_plus level=1
			0 push p4 crit=critical_plus level=2
			1 push s1 crit=sheddable : for p2
			1 push s2 crit=sheddable : refused
			1 push s3 crit=sheddable level=1 : for s1
			1 push c1 : for p3
			1 push c2 : for p1
			1 push c3 : refused
			1 push c4 level=3 : for c1
			2 drain : p4 c2 c4 s3`},
		{"a share of little is one place", Config{Places: 2, Shares: Shares{1, 0, 0, 0}}, `
			0 push c1
			0 push c2
			0 push s1 crit=sheddable : for c1
			0 push s2 crit=sheddable : refused
			0 push c3 : refused`},
		{"the dead are nobody's", Config{Places: 2, Shares: half()}, `
			0 push s1 crit=sheddable leave=5
			0 push c1
			6 push s2 crit=sheddable : for dead s1`},
	})
}

func TestSharesValidate(t *testing.T) {
	for _, tc := range []struct {
		s    Shares
		want string
	}{
		{Shares{}, ""},
		{Shares{10, 0, 90, 0}, ""},
		{Shares{-1, 0, 101, 0}, "SHEDDABLE: want 0 to 100 percent, have -1\nCRITICAL: want 0 to 100 percent, have 101"},
		{Shares{50, 0, 51, 0}, "want no more than 100 percent together, have 101"},
	} {
		switch err := tc.s.Validate(); {
		case err == nil && tc.want != "", err != nil && err.Error() != tc.want:
			t.Errorf("%v: %v, want %q", tc.s, err, tc.want)
		}
	}
	defer func() {
		if s, _ := recover().(string); !strings.HasPrefix(s, "queue: ") {
			t.Errorf("panics with %q, want the package's name in front", s)
		}
	}()
	New().Configure(0, Config{Shares: Shares{101}})
}
