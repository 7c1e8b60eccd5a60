package wire

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestReadTimeout(t *testing.T) {
	const ms = time.Millisecond
	grpcType := []string{contentTypeHeader, "application/grpc"}
	all := []string{grpc, "1S", connect, "2000", standard, "3000", envoy, "4000"}
	tests := []struct {
		name    string
		c       Config
		headers []string
		want    Incoming
	}{
		{"nothing", Config{}, nil, Incoming{}},
		{"the default", Config{DefaultTimeout: time.Second}, nil, Incoming{HasTimeout: true, Timeout: time.Second}},
		{"the default is bounded", Config{DefaultTimeout: time.Hour}, nil, Incoming{HasTimeout: true, Timeout: 30 * time.Second}},
		{"what is faulty counts as zero", Config{DefaultTimeout: -1, MaxTimeout: -1, Floor: -1}, nil, Incoming{}},

		{"gRPC first", Config{}, append(all, grpcType...), Incoming{HasTimeout: true, Timeout: time.Second}},
		{"no gRPC, no grpc-timeout", Config{}, all, Incoming{HasTimeout: true, Timeout: 2 * time.Second}},
		{"gRPC, no connect-timeout-ms", Config{}, append(all[2:], grpcType...), Incoming{HasTimeout: true, Timeout: 3 * time.Second}},
		{"ours", Config{}, all[4:], Incoming{HasTimeout: true, Timeout: 3 * time.Second}},
		{"Envoy's", Config{}, all[6:], Incoming{HasTimeout: true, Timeout: 4 * time.Second}},
		{"another name", Config{TimeoutHeader: "X-Budget-Ms"}, append(all[4:], "X-Budget-Ms", "50"), Incoming{HasTimeout: true, Timeout: 50 * ms}},

		{"the bound", Config{Trusted: true, MaxTimeout: time.Second}, []string{standard, "5000"}, Incoming{HasTimeout: true, Timeout: time.Second, Clamped: true}},
		{"a trusted caller raises the default", Config{Trusted: true, DefaultTimeout: time.Second}, []string{standard, "5000"}, Incoming{HasTimeout: true, Timeout: 5 * time.Second}},
		{"another does not", Config{DefaultTimeout: time.Second}, []string{standard, "5000"}, Incoming{HasTimeout: true, Timeout: time.Second, Clamped: true}},
		{"but lowers it", Config{DefaultTimeout: time.Second}, []string{standard, "500"}, Incoming{HasTimeout: true, Timeout: 500 * ms}},

		{"below the floor", Config{Floor: 20 * ms}, []string{standard, "19"}, Incoming{HasTimeout: true, Expired: true}},
		{"on the floor", Config{Floor: 20 * ms}, []string{standard, "20"}, Incoming{HasTimeout: true, Timeout: 20 * ms}},

		{"the shortest of several", Config{}, []string{standard, "300", standard, "200", standard, "400"}, Incoming{HasTimeout: true, Timeout: 200 * ms}},
		{"of those that can be read", Config{}, []string{standard, "300", standard, "x"}, Incoming{HasTimeout: true, Timeout: 300 * ms, InvalidTimeout: true}},
		{"one has expired", Config{}, []string{standard, "300", standard, "-1"}, Incoming{HasTimeout: true, Expired: true}},
	}
	for _, tt := range tests {
		if got := tt.c.Read(with(bare(), tt.headers...)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if got := (&Config{}).Read(nil); got != (Incoming{}) {
		t.Errorf("no headers at all: %+v", got)
	}
	if got := (&Config{}).Read(map[string][]string{standard: {}, CriticalityHeader: nil, AttemptHeader: {}}); got != (Incoming{}) {
		t.Errorf("headers without values: %+v", got)
	}
}

// A library that has taken the timeout out of the headers says what is left.
func TestReadLeft(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name string
		c    Config
		left time.Duration
		want Incoming
	}{
		{"goes before headers", Config{}, time.Second, Incoming{HasTimeout: true, Timeout: time.Second}},
		{"none", Config{}, class.Forever, Incoming{HasTimeout: true, Timeout: 300 * ms}},
		{"has passed", Config{}, -1, Incoming{HasTimeout: true, Expired: true}},
		{"the floor", Config{Floor: 20 * ms}, 19 * ms, Incoming{HasTimeout: true, Expired: true}},
		{"the bound", Config{MaxTimeout: time.Minute}, time.Hour, Incoming{HasTimeout: true, Timeout: time.Minute, Clamped: true}},
		{"of one who is not trusted", Config{DefaultTimeout: time.Second}, time.Minute, Incoming{HasTimeout: true, Timeout: time.Second, Clamped: true}},
	} {
		h := with(bare(), standard, "300")
		if got := tt.c.ReadLeft(h, tt.left); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestReadCriticality(t *testing.T) {
	grpcType := []string{contentTypeHeader, "application/grpc-web+proto"}
	all := []string{
		CriticalityHeader, "critical_plus", BaggageHeader, "a=b,criticality=critical",
		grpcCriticalityHeader, "sheddable_plus", "Sec-Purpose", "prefetch", "Priority", "u=0",
	}
	trusted := Config{Trusted: true, Sources: DefaultSources | FromPriority}
	tag := func(c class.Criticality) Tag { return Tag{Criticality: c} }
	tests := []struct {
		name    string
		c       Config
		headers []string
		want    Incoming
	}{
		{"the header first", trusted, append(all, grpcType...), Incoming{Tag: tag(class.CriticalPlus)}},
		{"then baggage", trusted, append(all[2:], grpcType...), Incoming{Tag: tag(class.Critical)}},
		{"then gRPC metadata", trusted, append(all[4:], grpcType...), Incoming{Tag: tag(class.SheddablePlus)}},
		{"of gRPC only", trusted, all[4:], Incoming{Tag: tag(class.Sheddable), Hint: true}},
		{"then the purpose", trusted, all[6:], Incoming{Tag: tag(class.Sheddable), Hint: true}},
		{"then the urgency", trusted, all[8:], Incoming{Tag: tag(class.CriticalPlus), Hint: true}},
		{"if asked for", Config{Trusted: true}, all[8:], Incoming{}},
		{"an unreadable one gives way", trusted, append([]string{CriticalityHeader, "vip"}, all[2:]...), Incoming{Tag: tag(class.Critical), InvalidCriticality: true}},

		{"the lowest of several", trusted, []string{CriticalityHeader, "critical", CriticalityHeader, "sheddable", CriticalityHeader, "critical"}, Incoming{Tag: tag(class.Sheddable)}},
		{"of those that can be read", trusted, []string{CriticalityHeader, "vip", CriticalityHeader, "sheddable_plus"}, Incoming{Tag: tag(class.SheddablePlus), InvalidCriticality: true}},

		{"an untrusted caller does not raise itself", Config{}, []string{CriticalityHeader, "critical_plus"}, Incoming{Tag: tag(class.Critical), Clamped: true}},
		{"but lowers itself", Config{}, []string{CriticalityHeader, "sheddable"}, Incoming{Tag: tag(class.Sheddable)}},
		{"nor by baggage", Config{}, []string{BaggageHeader, "criticality=critical_plus"}, Incoming{Tag: tag(class.Critical), Clamped: true}},
		{"nor by urgency", Config{Sources: DefaultSources | FromPriority}, []string{"Priority", "u=0"}, Incoming{Tag: tag(class.Critical), Hint: true, Clamped: true}},
		{"up to the ceiling", Config{Ceiling: class.CriticalPlus}, []string{CriticalityHeader, "critical_plus"}, Incoming{Tag: tag(class.CriticalPlus)}},
		{"or down to it", Config{Ceiling: class.Sheddable}, []string{CriticalityHeader, "critical"}, Incoming{Tag: tag(class.Sheddable), Clamped: true}},
		{"silence gains nothing", Config{Ceiling: class.Sheddable}, nil, Incoming{Tag: tag(class.Sheddable), Hint: true}},
		{"nor does noise", Config{Ceiling: class.Sheddable}, []string{CriticalityHeader, "vip"}, Incoming{Tag: tag(class.Sheddable), Hint: true, InvalidCriticality: true}},
		{"the trusted have no ceiling", Config{Trusted: true, Ceiling: class.Sheddable}, []string{CriticalityHeader, "critical"}, Incoming{Tag: tag(class.Critical)}},
	}
	for _, tt := range tests {
		if got := tt.c.Read(with(bare(), tt.headers...)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestReadHints(t *testing.T) {
	tests := []struct {
		header, value string
		want          class.Criticality
	}{
		{"Sec-Purpose", "prefetch", class.Sheddable},
		{"Sec-Purpose", "prefetch;prerender", class.Sheddable},
		{"Sec-Purpose", " Prefetch ; anonymous-client-ip", class.Sheddable},
		{"Sec-Purpose", "prefetcher", class.Unset},
		{"Sec-Purpose", "", class.Unset},
		{"Priority", "u=0", class.CriticalPlus},
		{"Priority", "i, u=1", class.CriticalPlus},
		{"Priority", "u=2", class.Critical},
		{"Priority", "u=4,i", class.Critical},
		{"Priority", "u=5;x=1, i", class.SheddablePlus},
		{"Priority", "u=6", class.SheddablePlus},
		{"Priority", "u=7", class.Sheddable},
		{"Priority", "u=1, u=7, u=2", class.Sheddable},
		{"Priority", "i", class.Unset},
		{"Priority", "u=8", class.Unset},
		{"Priority", "u=-1", class.Unset},
		{"Priority", "u=3.5", class.Unset},
		{"Priority", "u=", class.Unset},
		{"Priority", "u", class.Unset},
		{"Priority", "U=7", class.Unset},
	}
	c := &Config{Trusted: true, Sources: DefaultSources | FromPriority}
	for _, tt := range tests {
		in := c.Read(map[string][]string{tt.header: {tt.value}})
		if in.Criticality != tt.want || in.Hint != (tt.want != class.Unset) || in.InvalidCriticality {
			t.Errorf("%s: %q is read as %+v, want %v as a hint", tt.header, tt.value, in, tt.want)
		}
	}
}

func TestReadAttempt(t *testing.T) {
	grpcType := []string{contentTypeHeader, "application/grpc"}
	tests := []struct {
		name    string
		headers []string
		want    int
	}{
		{"gRPC's library has made more", append(grpcType, AttemptHeader, "2", grpcAttemptsHeader, "4"), 5},
		{"its first of our third", append(grpcType, AttemptHeader, "3"), 3},
		{"both say the same", append(grpcType, AttemptHeader, "3", grpcAttemptsHeader, "2"), 3},
		{"gRPC counts those before", append(grpcType, grpcAttemptsHeader, "4"), 5},
		{"none before", append(grpcType, grpcAttemptsHeader, "0"), 1},
		{"an unreadable one gives way", append(grpcType, AttemptHeader, "x", grpcAttemptsHeader, "1"), 2},
		{"clamped", append(grpcType, grpcAttemptsHeader, "9223372036854775807"), MaxAttempt},
		{"unreadable", append(grpcType, grpcAttemptsHeader, "-1"), 0},
		{"gRPC only", []string{grpcAttemptsHeader, "1"}, 0},
	}
	for _, tt := range tests {
		if got := (&Config{}).Read(with(bare(), tt.headers...)).Attempt; got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestIsGRPC(t *testing.T) {
	for value, want := range map[string]bool{
		"application/grpc":               true,
		"application/grpc+proto":         true,
		"Application/GRPC; charset=utf8": true,
		"application/grpc-web-text":      true,
		"application/grpcish":            false,
		"application/json":               false,
		"application/gr":                 false,
		"":                               false,
	} {
		if got := isGRPC(map[string][]string{contentTypeHeader: {value}}); got != want {
			t.Errorf("%q is gRPC: %v, want %v", value, got, want)
		}
	}
}

// A server of grpc-go takes for gRPC what has one line that says so, whichever.
// What is gRPC to the next hop is gRPC here: else a claim of the caller's own
// would pass.
func TestIsGRPCInAnyLine(t *testing.T) {
	for _, lines := range [][]string{{"text/plain", "application/grpc"}, {"application/grpc", "text/plain"}} {
		h := map[string][]string{contentTypeHeader: lines, grpcCriticalityHeader: {"CRITICAL_PLUS"}, grpcAttemptsHeader: {"0"}, grpcTimeoutHeader: {"1H"}}
		if in := new(Config).Read(h); in.Criticality != class.Critical || !in.Clamped || in.Attempt != 1 {
			t.Errorf("%q: read as %+v", lines, in)
		}
		Write(h, Tag{}, time.Second)
		if h[grpcCriticalityHeader] != nil || h[grpcAttemptsHeader] != nil || h[grpcTimeoutHeader][0] != "1000000u" {
			t.Errorf("%q: the next hop gets %v", lines, h)
		}
	}
}

func TestReadDoesNotAllocate(t *testing.T) {
	c := &Config{Trusted: true, Sources: DefaultSources | FromPriority, DefaultTimeout: time.Second}
	for _, r := range requests {
		if n := testing.AllocsPerRun(100, func() { sink = c.Read(r.h) }); n != 0 {
			t.Errorf("%s: Read allocates %v times", r.name, n)
		}
	}
}

// FuzzRead reads and writes any headers: what comes out is within its bounds,
// and the next hop reads what was written.
func FuzzRead(f *testing.F) {
	f.Add("application/grpc", "1S", "100", "200", "critical", "a=b,criticality=sheddable", "u=3", "2", uint8(0), int64(time.Second))
	f.Add("application/json", "-1n", "-1", "x", "vip", "criticality=%63ritical;p", "u=9", "-1", uint8(5), int64(-1))
	f.Fuzz(func(t *testing.T, contentType, grpcTimeout, timeout, envoyTimeout, criticality, baggage, priority, attempt string, ceiling uint8, def int64) {
		request := func() map[string][]string {
			return map[string][]string{
				contentTypeHeader: {contentType}, grpc: {grpcTimeout}, connect: {timeout}, standard: {timeout, envoyTimeout}, envoy: {envoyTimeout},
				CriticalityHeader: {criticality}, BaggageHeader: {baggage, priority}, grpcCriticalityHeader: {criticality},
				secPurposeHeader: {priority}, priorityHeader: {priority}, AttemptHeader: {attempt}, grpcAttemptsHeader: {attempt},
			}
		}
		c := &Config{Ceiling: class.Criticality(ceiling), DefaultTimeout: time.Duration(def), Sources: Sources(ceiling >> 3)}
		believer := *c
		believer.Trusted = true
		h := request()
		in, trusted := c.Read(h), believer.Read(h)

		if in.Timeout < 0 || in.Timeout > DefaultMaxTimeout || in.Expired != (in.HasTimeout && in.Timeout == 0) || !in.HasTimeout && in.Timeout != 0 {
			t.Fatalf("out of bounds: %+v", in)
		}
		if !in.Criticality.Valid() || in.Criticality > c.Ceiling.OrDefault() || in.Attempt < 0 || in.Attempt > MaxAttempt {
			t.Fatalf("out of bounds: %+v", in)
		}
		if in.Timeout > trusted.Timeout || trusted.Criticality != class.Unset && in.Criticality > trusted.Criticality {
			t.Fatalf("without trust %+v, with it %+v", in, trusted)
		}

		remaining := class.Forever
		if in.HasTimeout {
			remaining = in.Timeout
		}
		c.Write(h, in.Tag, remaining)
		next := (&Config{Trusted: true}).Read(h)
		if next.InvalidTimeout || next.InvalidCriticality || next.HasTimeout != in.HasTimeout || next.Attempt != in.Attempt {
			t.Fatalf("%+v is written as %v and read as %+v", in, h, next)
		}
		if next.Timeout > in.Timeout || in.Timeout-next.Timeout >= time.Millisecond {
			t.Fatalf("%v left is read as %v", in.Timeout, next.Timeout)
		}
		if next.Criticality != in.Criticality && in.Criticality != class.Unset {
			t.Fatalf("%v is read as %v", in.Criticality, next.Criticality)
		}
	})
}
