package traceparent

import (
	"regexp"
	"strings"
	"testing"
)

const head = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"

func TestSampled(t *testing.T) {
	for _, c := range []struct {
		header         []string
		sampled, known bool
	}{
		{nil, false, false},
		{[]string{head + "01"}, true, true},
		{[]string{head + "00"}, false, true},
		{[]string{head + "03"}, true, true},
		{[]string{head + "0a"}, false, true},
		{[]string{head + "0b"}, true, true},
		{[]string{head + "0f-more"}, true, true},
		{[]string{head + "0"}, false, false},
		{[]string{head + "0x"}, false, false},
		{[]string{head}, false, false},
		{[]string{"nonsense"}, false, false},
		{[]string{head + "01", head + "01"}, false, false},
	} {
		if sampled, known := Sampled(c.header); sampled != c.sampled || known != c.known {
			t.Errorf("%q: %v %v", c.header, sampled, known)
		}
	}
}

var wellFormed = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]([0-9a-f])(-|$)`)

// What is well formed has a decision, and it is the lowest bit.
func FuzzSampled(f *testing.F) {
	f.Add(head + "01")
	f.Add("cc" + head[2:] + "fe-what")
	f.Fuzz(func(t *testing.T, header string) {
		sampled, known := Sampled([]string{header})
		m := wellFormed.FindStringSubmatch(header)
		if m == nil {
			return
		}
		if want := strings.Contains("13579bdf", m[1]); !known || sampled != want {
			t.Errorf("known %v, sampled %v, want %v", known, sampled, want)
		}
	})
}
