package httpgate

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
)

// docs/headers.md says of answers what the code does.
func TestPageHasTheAnswers(t *testing.T) {
	page, err := os.ReadFile("../docs/headers.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	full := prepareAnswers(503)[plimsoll.QueueFull]
	want := []string{
		fmt.Sprintf("%.0fs at most unless said, %v at the very most", DefaultMaxRetryAfter.Seconds(), maxMaxRetryAfter),
		"`" + full.proxyStatus[0] + "`",
		"`" + plainText[0] + "`: `" + strings.TrimSpace(string(full.body)) + "`",
		fmt.Sprintf("%d, or %d where the deadline is gone", grpcUnavailable, grpcDeadlineExceeded),
		"`" + timings(12500*1000, 30*1000*1000) + "`",
		fmt.Sprintf("made once in %d ms", loadEvery.Milliseconds()),
		"`" + (&orcaReport{application: 0.8, rps: 40, named: []orcaMetric{{"queue_delay_ms", 3}}}).text() + "`",
	}
	for _, c := range class.All() {
		want = append(want, "`shed_"+strings.ToLower(c.String())+"`")
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("docs/headers.md does not say %q", w)
		}
	}
}
