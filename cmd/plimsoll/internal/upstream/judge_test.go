package upstream

import (
	"net/http"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestAskedFor(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "120", 2 * time.Minute},
		{"Retry-After", " 7 ", 7 * time.Second},
		{"Retry-After", "0", 0},
		{"Retry-After", "-5", 0},
		{"Retry-After", "1.5", 0},
		{"Retry-After", "", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "99999999999999999999", class.Forever},
		{"Retry-After", "Fri, 02 Jan 2026 03:04:15 GMT", 10 * time.Second},
		{"Retry-After", "Friday, 02-Jan-26 03:04:15 GMT", 10 * time.Second},
		{"Retry-After", "Fri Jan  2 03:04:15 2026", 10 * time.Second},
		{"Retry-After", "Fri, 02 Jan 2026 03:00:00 GMT", 0},
		{"Plimsoll-Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Grpc-Retry-Pushback-Ms", "1500", 1500 * time.Millisecond},
		{"Grpc-Retry-Pushback-Ms", "-1", 0},
		{"Grpc-Retry-Pushback-Ms", "soon", 0},
	} {
		if got := askedFor(http.Header{c.name: {c.value}}, now); got != c.want {
			t.Errorf("%s: %q is %v, want %v", c.name, c.value, got, c.want)
		}
	}
	if got := askedFor(http.Header{"Retry-After": {"1", "9", "3"}}, now); got != 9*time.Second {
		t.Errorf("of several lines: %v", got)
	}
	// A date counts from the service's own clock, which may be wrong.
	if got := askedFor(http.Header{"Retry-After": {"Fri, 02 Jan 2026 04:04:15 GMT"}, "Date": {"Fri, 02 Jan 2026 04:04:05 GMT"}}, now); got != 10*time.Second {
		t.Errorf("of a service whose clock is an hour ahead: %v", got)
	}
}

// A message that is longer than the service takes says nothing of its load.
func TestVerdictOnLongMessages(t *testing.T) {
	for message, want := range map[string]verdictKind{"grpc: received message larger than max (9 vs. 4)": good, "quota": refused} {
		if got := judgeGRPC(http.Header{"Grpc-Status": {"8"}, "Grpc-Message": {message}}, time.Now()); got.kind != want {
			t.Errorf("%q: %+v", message, got)
		}
	}
}

// A service that stops when the time is over that it was told, and says so, is
// not broken; one that says so at once is.
func TestVerdictOn504(t *testing.T) {
	minuteAgo := &Service{epoch: time.Now().Add(-time.Minute)}
	for _, c := range []struct {
		name   string
		budget time.Duration
		want   verdictKind
	}{
		{"no time was told", 0, failed},
		{"an hour was told", time.Hour, failed},
		{"nine tenths are spent", 66 * time.Second, neutral},
	} {
		a := attempt{service: minuteAgo, budget: c.budget}
		got, known := judge(&http.Response{StatusCode: http.StatusGatewayTimeout}, false, a.late(), time.Now())
		if !known || got.kind != c.want {
			t.Errorf("%s: %+v, %v", c.name, got, known)
		}
	}
}

func FuzzAskedFor(f *testing.F) {
	for _, s := range []string{"1", "99999999999999999999", "-1", "1e9", "Fri, 02 Jan 2026 03:04:15 GMT", "\xff"} {
		f.Add(s)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range []string{"Retry-After", "Grpc-Retry-Pushback-Ms"} {
			if got := askedFor(http.Header{name: {s}}, now); got < 0 || holdFor(got, 0) > maxHold {
				t.Errorf("%q is %v", s, got)
			}
		}
	})
}
