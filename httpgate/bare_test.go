package httpgate

import (
	"net/http"
	"testing"

	"github.com/plimsoll-go/plimsoll/client"
)

// TestAnswersOfBareRoundTrippers: one that was made by hand may have no header
// and no body, which net/http takes as none.
func TestAnswersOfBareRoundTrippers(t *testing.T) {
	c, err := client.New(client.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tr := Transport(c, sends(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusBadGateway}, nil
	}))
	r, _ := http.NewRequest(http.MethodGet, "http://service.test/", nil)
	answer, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.Header.Get(GaveUpHeader) != "no_attempts" {
		t.Errorf("the answer has %v, want that it was given up", answer.Header)
	}
}
