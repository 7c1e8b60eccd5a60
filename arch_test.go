package plimsoll_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/plimsoll-go/plimsoll/internal/arch"
)

// house lists the packages of the library: what each is, whether it is pure,
// and the packages of the library that it may import. Tests may import what
// they like. Rooms of packages that are planned stand empty.
var house = []arch.Room{
	{Dir: ".", Is: "the gate: the shell round the machine", Imports: []string{"class", "class/wire", "internal/core", "ladder", "limit", "queue", "stats"}},
	{Dir: "class", Is: "criticality, level, rank, deadline arithmetic", Pure: true},
	{Dir: "class/wire", Is: "context values, header codecs, signatures", Imports: []string{"class"}},
	{Dir: "limit", Is: "concurrency limit algorithms", Pure: true, Imports: []string{"stats"}},
	{Dir: "queue", Is: "the bounded queue: lanes, order, tenants, expiry", Pure: true, Imports: []string{"class"}},
	{Dir: "ladder", Is: "degradation tiers with hysteresis", Pure: true, Imports: []string{"class"}},
	{Dir: "stats", Is: "histogram, rates by half-life, windows", Pure: true},
	{Dir: "internal/core", Is: "the machine that admits, queues and refuses", Pure: true, Imports: []string{"class", "ladder", "limit", "queue", "stats"}},
	{Dir: "retry", Is: "retry decisions and their budget", Pure: true, Imports: []string{"class", "stats"}},
	{Dir: "breaker", Is: "circuit breaker decisions", Pure: true, Imports: []string{"class", "stats"}},
	{Dir: "throttle", Is: "client-side throttling decisions", Pure: true, Imports: []string{"class", "stats"}},
	{Dir: "client", Is: "the caller's side: the shell that composes throttle, breaker and retry", Imports: []string{"breaker", "class", "class/wire", "retry", "throttle"}},
	{Dir: "flow", Is: "stages and credits inside a process", Imports: []string{"stats"}},
	{Dir: "consume", Is: "the consumer's side of a message source", Imports: []string{".", "class", "class/wire", "stats"}},
	{Dir: "httpgate", Is: "net/http: handler and transport", Imports: []string{".", "breaker", "class", "class/wire", "client", "httpgate/replay", "ladder", "retry", "stats"}},
	{Dir: "httpgate/replay", Is: "a request's body for one attempt after the other"},
	{Dir: "sim", Is: "the machine in virtual time", Pure: true, Imports: []string{"breaker", "class", "internal/core", "ladder", "limit", "queue", "retry", "stats", "throttle"}},
	{Dir: "sim/peers", Is: "other limiters' published algorithms, as opponents", Pure: true, Imports: []string{"class", "limit", "sim", "stats"}},
	{Dir: "sim/optimum", Is: "the best that any policy could have done", Pure: true, Imports: []string{"class", "sim"}},
	{Dir: "scenarios", Is: "scenario files for the simulator, embedded"},
	{Dir: "sim/trace", Is: "a recorded trace: what arrived, when, for whom", Imports: []string{"class", "sim"}},
	{Dir: "internal/arch", Is: "checks of this test"},
	{Dir: "internal/golden", Is: "tests: texts are as they were"},
	{Dir: "internal/deaf", Is: "tests: an address where nobody listens"},
	{Dir: "internal/rest", Is: "tests: gates and clients are at rest when all is over", Imports: []string{".", "client", "internal/wait", "retry"}},
	{Dir: "internal/wait", Is: "tests: waiting for what is about to be so"},
	{Dir: "internal/platforms", Is: "the simulator's reports, the same on every platform"},
}

// budget lists what the files of the shells do beside computing. It is kept
// short on purpose: what can be tested without clocks, goroutines and sockets
// is what lies outside these files.
var budget = map[string]string{
	"acquire.go": "random",     // the seed of tenants' hashes, so that nobody can aim at another's slot of the table
	"do.go":      "clock",      // gives the work a context that ends at its deadline
	"gate.go":    "clock lock", // reads the clock once per event, holds the gate's lock and its one timer
	"tiers.go":   "goroutine",  // tells of transitions, without the lock
	"stripe.go":  "lock",       // striped samples of the open word

	"class/wire/signature.go": "lock",  // a pool of what is lent to compute one code
	"class/wire/verify.go":    "clock", // whether a signature has expired

	"client/client.go": "clock lock random", // the lock round what decides, and its clock and source
	"client/do.go":     "clock",             // waits between attempts, and ends them
	"client/get.go":    "lock",              // which of several results was first
	"client/pace.go":   "clock",             // the timer of those who wait for their turn at the rate
	"client/hedge.go":  "clock goroutine",   // attempts of a call beside one another
	"client/hold.go":   "clock lock",        // ends it with its time; the one end of an attempt that is held

	"internal/deaf/deaf.go":     "socket", // an address is held by a connection
	"internal/golden/golden.go": "files",  // where the texts are
	"internal/wait/wait.go":     "clock",  // tests look again and again

	"httpgate/replay/replay.go": "lock", // a body is read and closed by goroutines of net/http

	"httpgate/answered.go":  "clock",                // bounds the reading of an answer that nobody wants
	"httpgate/arrival.go":   "clock",                // the deadline of an arrival
	"httpgate/backoff.go":   "random",               // jitter of Retry-After
	"httpgate/call.go":      "clock lock",           // which of several attempts is the first
	"httpgate/deadline.go":  "clock goroutine lock", // a context whose deadline can move
	"httpgate/exchange.go":  "clock",                // when the handler began
	"httpgate/handler.go":   "lock",                 // a pool of what is lent for one request
	"httpgate/late.go":      "clock lock",           // how long a late answer may still be written
	"httpgate/load.go":      "clock lock",           // a report for all who ask within some milliseconds
	"httpgate/outcome.go":   "clock",                // whether the end was in time
	"httpgate/sending.go":   "clock goroutine",      // what is left as an attempt is written; ends it with its time
	"httpgate/stall.go":     "clock lock",           // how long a write is blocked
	"httpgate/telling.go":   "clock",                // when the handler began, and its answer
	"httpgate/transport.go": "socket",               // net/http beneath
}

// permitted is what a file of a pure package has beyond what computes.
var permitted = map[string]string{
	"ladder/book.go":        "sync",                        // what handlers count on many goroutines
	"ladder/context.go":     "context",                     // a handler asks by the context of its request
	"ladder/do.go":          "context time.Now time.Since", // what a tier saves is measured
	"internal/core/open.go": "sync/atomic",                 // the open word is shared with arrivals that skip the lock
}

// rules are what no text says.
var rules = []arch.Rule{
	{
		Pattern: regexp.MustCompile(`(?m)(^|[^\w.])(/work/|/root/|/tmp/\w|/home/\w|/Users/\w|C:\\)|\.\./shared/`),
		Why:     "a path of one machine; use a path inside the repository, or t.TempDir",
	},
	{
		Pattern: regexp.MustCompile(`(?i)\b(sub-?agents?|language models?|(this|next|later|earlier|previous|another) session|issue tracker)\b`),
		Why:     "how a thing came about; say what it is and why",
	},
	{
		Pattern: regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`),
		Why:     "unfinished work; finish it or leave it out",
	},
}

func TestArchitecture(t *testing.T) {
	tree, err := arch.Load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if tree.Module != "github.com/plimsoll-go/plimsoll" || len(tree.Packages) < 5 {
		t.Fatalf("module %q with %d packages: not the repository's root", tree.Module, len(tree.Packages))
	}
	for _, check := range []struct {
		name   string
		faults func() []string
	}{
		{"the library requires nothing", func() []string { return tree.Requirements() }},
		{"packages import what the house says", func() []string { return tree.Arrows(house) }},
		{"pure packages are pure", func() []string { return tree.Impurities(house, permitted) }},
		{"shells stay in their budget", func() []string { return tree.Budget(house, budget) }},
		{"every package has one comment", func() []string { return tree.PackageComments() }},
		{"every exported name has a comment", func() []string { return tree.Undocumented() }},
		{"files and functions fit", func() []string { return tree.Oversize(500, 60) }},
		{"tests do not sleep", func() []string { return tree.Sleeps() }},
		{"texts keep to the matter", func() []string { return tree.Words(rules, "arch_test.go") }},
		{"the page of packages is as the code is", func() []string {
			return tree.Page("ARCHITECTURE.md", house, "cmd/plimsoll/internal", "bench/internal")
		}},
		{"tables have their cells", tree.Tables},
		{"pages that are named exist", func() []string { return tree.DanglingPages("internal/arch/arch_test.go") }},
	} {
		t.Run(check.name, func(t *testing.T) {
			for _, f := range check.faults() {
				t.Error(f)
			}
		})
	}
}
