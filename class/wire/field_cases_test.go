package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// The tests of this file are named after the rows of the project's list of
// field cases: inputs that have broken others. What a row says of answers and
// slots is tested where those are; here is what the headers are read as, and
// what reaches the next hop.

const (
	standard = TimeoutHeader
	grpc     = grpcTimeoutHeader
	connect  = connectTimeoutHeader
	envoy    = envoyTimeoutHeader
)

// requestWith returns the headers of a request with a timeout in the given
// header.
func requestWith(header string, values ...string) map[string][]string {
	h := map[string][]string{header: values}
	if header == grpc {
		h[contentTypeHeader] = []string{"application/grpc"}
	}
	return h
}

// An unreadable deadline is as absent, never "no deadline", and not forwarded.
func TestH01(t *testing.T) {
	everywhere := []string{"", " ", " \t ", "abc", "1.5.2", "1.5", "1e3", "0x10", "+5", "１００", "100\x00", "\x00", "100 ms",
		"1 0", "1,2", "100, 200", "--5", "-", "10_000", "٣", strings.Repeat("9", 1<<16), strings.Repeat(" ", 1<<16)}
	only := map[string][]string{
		standard: {"10S", "100m", "12345678901234567890"},
		envoy:    {"10S", "5s"},
		connect:  {"10S", "12345678901"},                                                                                         // 11 digits
		grpc:     {"100", "S", "123456789S", "000000001S", "10s", "10h", "1.5S", "10SS", "10 S", "１S", "10S\x00", "+5S", "1e3m"}, // 9 digits
	}
	const def = 700 * time.Millisecond
	for header, more := range only {
		for _, v := range append(more, everywhere...) {
			for _, trusted := range []bool{true, false} {
				c := &Config{Trusted: trusted, DefaultTimeout: def}
				h := requestWith(header, v)
				in := c.Read(h)
				if !in.InvalidTimeout || !in.HasTimeout || in.Expired || in.Timeout != def {
					t.Errorf("%s: %.40q is read as %+v, want invalid with the default", header, v, in)
				}
				c.Write(h, in.Tag, in.Timeout)
				if got := h[header][0]; got == v || len(got) > 10 {
					t.Errorf("%s: %.40q goes to the next hop as %.40q", header, v, got)
				}
				// Without a deadline to pass on, nothing of it passes.
				h = requestWith(header, v)
				if c.Write(h, in.Tag, class.Forever); h[header] != nil {
					t.Errorf("%s: %.40q goes to the next hop without a deadline", header, v)
				}
				// Without a default, the bound of all deadlines applies.
				in = (&Config{Trusted: trusted}).Read(requestWith(header, v))
				if !in.HasTimeout || in.Timeout != DefaultMaxTimeout {
					t.Errorf("%s: %.40q and no default is read as %+v, want 30s", header, v, in)
				}
			}
		}
	}
}

// One that can be read, further down the precedence, stands in for it.
func TestH01NextSource(t *testing.T) {
	h := map[string][]string{
		contentTypeHeader: {"application/grpc"},
		grpc:              {"soon"},
		standard:          {"1e3"},
		envoy:             {"250"},
	}
	in := (&Config{DefaultTimeout: time.Second}).Read(h)
	if !in.InvalidTimeout || in.Timeout != 250*time.Millisecond {
		t.Errorf("read as %+v, want invalid and 250ms", in)
	}
}

// Deadlines that overflow are clamped, and never in the past.
func TestH02(t *testing.T) {
	wellFormed := map[string][]string{
		grpc:     {"99999999H", "99999999M", "99999999S", "31S"},
		standard: {"9223372036854775807", "9223372036855", "30001", "0000000000000030001"},
		envoy:    {"9223372036854775807"},
		connect:  {"9999999999"},
	}
	unreadable := map[string][]string{
		standard: {"9223372036854775808", "18446744073709551616", "99999999999999999999", "-9223372036854775809"},
		envoy:    {"9223372036854775808", "-99999999999999999999"},
		connect:  {"9223372036854775807"},
	}
	c := &Config{Trusted: true, DefaultTimeout: time.Second}
	for header, values := range wellFormed {
		for _, v := range values {
			in := c.Read(requestWith(header, v))
			if in.InvalidTimeout || !in.Clamped || in.Expired || in.Timeout != DefaultMaxTimeout {
				t.Errorf("%s: %s is read as %+v, want 30s, clamped", header, v, in)
			}
			for _, now := range []time.Duration{0, time.Hour, class.Forever - 1} {
				if at := class.At(now, in.Timeout); at <= now {
					t.Errorf("%s: %s ends at %d, want after %d", header, v, at, now)
				}
			}
		}
	}
	for header, values := range unreadable {
		for _, v := range values {
			in := c.Read(requestWith(header, v))
			if !in.InvalidTimeout || in.Expired || in.Timeout != time.Second {
				t.Errorf("%s: %s is read as %+v, want invalid with the default", header, v, in)
			}
		}
	}
}

// Zero and less has expired: never unlimited, never the default.
func TestH03(t *testing.T) {
	numbers := []string{"0", "-0", "-1", "00", "-00000001", " 0 "}
	values := map[string][]string{
		standard: append([]string{"-9223372036854775808", "-100"}, numbers...),
		envoy:    append([]string{"-9223372036854775808"}, numbers...),
		connect:  numbers,
		grpc:     {"0n", "0H", "-0S", "-1m", "-99999999H", "00000000S"},
	}
	for header, list := range values {
		for _, v := range list {
			for _, c := range []*Config{{}, {Trusted: true}, {DefaultTimeout: time.Second}, {Trusted: true, DefaultTimeout: time.Second}} {
				h := requestWith(header, v)
				in := c.Read(h)
				if !in.Expired || !in.HasTimeout || in.Timeout != 0 || in.InvalidTimeout {
					t.Errorf("%s: %s under %+v is read as %+v, want expired", header, v, *c, in)
				}
				// And it stays expired for whoever is next.
				c.Write(h, in.Tag, in.Timeout)
				if next := c.Read(h); !next.Expired {
					t.Errorf("%s: %s goes to the next hop as %q, want expired", header, v, h[header])
				}
			}
		}
	}
}

// Numbers that are none are unreadable. (The half of H04 about headers; what a
// configuration or a computation makes of a NaN is tested there.)
func TestH04(t *testing.T) {
	for _, v := range []string{"NaN", "nan", "Inf", "+Inf", "-Inf", "inf", "infinity", "1e309", "-1e309"} {
		for _, header := range []string{standard, envoy, connect} {
			in := (&Config{DefaultTimeout: time.Second}).Read(requestWith(header, v))
			if !in.InvalidTimeout || in.Timeout != time.Second {
				t.Errorf("%s: %s is read as %+v, want invalid with the default", header, v, in)
			}
		}
		in := (&Config{DefaultTimeout: time.Second}).Read(requestWith(grpc, v+"S"))
		if !in.InvalidTimeout || in.Timeout != time.Second {
			t.Errorf("%s: %sS is read as %+v, want invalid with the default", grpc, v, in)
		}
		if in := (&Config{}).Read(map[string][]string{AttemptHeader: {v}}); in.Attempt != 0 {
			t.Errorf("attempt %s is read as %d, want unknown", v, in.Attempt)
		}
	}
}

// Criticality: folded, or the default; capped for those who are not trusted;
// the raw text does not pass.
func TestH06(t *testing.T) {
	tests := []struct {
		value string
		want  class.Criticality // of a trusted caller
	}{
		{"CRITICAL", class.Critical},
		{" critical ", class.Critical},
		{"Critical_Plus", class.CriticalPlus},
		{"\tSHEDDABLE\t", class.Sheddable},
		{"vip", class.Unset},
		{"", class.Unset},
		{"критично", class.Unset},
		{"\xff\xfe", class.Unset},
		{"ſheddable", class.Unset},
		{"critical, sheddable", class.Unset},
		{"critical;q=1", class.Unset},
		{strings.Repeat("CRITICAL", 8192), class.Unset},
	}
	sources := map[string]func(v string) map[string][]string{
		"header":   func(v string) map[string][]string { return map[string][]string{CriticalityHeader: {v}} },
		"metadata": func(v string) map[string][]string { return with(requestWith(grpc, "1S"), grpcCriticalityHeader, v) },
	}
	for name, request := range sources {
		for _, tt := range tests {
			h := request(tt.value)
			trusted := &Config{Trusted: true}
			in := trusted.Read(h)
			if in.Criticality != tt.want || in.InvalidCriticality != (tt.want == class.Unset) {
				t.Errorf("%s: %.40q of a trusted caller is read as %+v, want %v", name, tt.value, in, tt.want)
			}
			trusted.Write(h, in.Tag, time.Second)
			for header, values := range h {
				if tt.want == class.Unset && tt.value != "" && strings.Contains(strings.Join(values, ""), tt.value) {
					t.Errorf("%s: %.40q goes to the next hop in %s", name, tt.value, header)
				}
			}
			for _, ceiling := range append([]class.Criticality{class.Unset}, slice(class.All())...) {
				in := (&Config{Ceiling: ceiling}).Read(request(tt.value))
				if got, most := in.Criticality.OrDefault(), ceiling.OrDefault(); got > most {
					t.Errorf("%s: %.40q of an untrusted caller counts as %v, want %v at most", name, tt.value, got, most)
				}
				if want := tt.want > ceiling.OrDefault(); in.Clamped != want {
					t.Errorf("%s: %.40q under %v: clamped %v, want %v", name, tt.value, ceiling, in.Clamped, want)
				}
			}
		}
	}
}

func slice(a [class.Count]class.Criticality) []class.Criticality { return a[:] }

// Headers of ours that a client forges are clamped, and can only lower it. (The
// half of H20 about the attempt number; the other markers are nobody's input
// here.)
func TestH20(t *testing.T) {
	tests := []struct {
		values []string
		want   int
	}{
		{[]string{"1"}, 1},
		{[]string{"2"}, 2},
		{[]string{" 3 "}, 3},
		{[]string{"99"}, MaxAttempt},
		{[]string{"9223372036854775807"}, MaxAttempt},
		{[]string{"1", "3", "2"}, 3},
		{[]string{"x", "2"}, 2},
		{[]string{"0"}, 0},
		{[]string{"-1"}, 0},
		{[]string{"9223372036854775808"}, 0},
		{[]string{"two"}, 0},
		{[]string{""}, 0},
		{nil, 0},
	}
	for _, tt := range tests {
		h := map[string][]string{AttemptHeader: tt.values}
		c := &Config{}
		in := c.Read(h)
		if in.Attempt != tt.want {
			t.Errorf("attempt %q is read as %d, want %d", tt.values, in.Attempt, tt.want)
		}
		if c.Write(h, in.Tag, class.Forever); (len(h[AttemptHeader]) == 1) != (tt.want > 0) || c.Read(h).Attempt != tt.want {
			t.Errorf("attempt %q goes to the next hop as %q, want %d", tt.values, h[AttemptHeader], tt.want)
		}
	}
}
