package bounds

import (
	"strings"
	"testing"
)

// What bounds the attempts at a request is in the chain, where it was said.
func TestChainOfCalls(t *testing.T) {
	chain := func(keys string) string {
		c := Of(read(t, "upstreams: {shop: {endpoints: [http://a], "+keys+"}}\nversion: 1\n"), calm)
		var out strings.Builder
		for _, b := range c.Bounds {
			if strings.Contains(b.Key, ".retries.") || strings.Contains(b.Key, ".breaker.") || strings.Contains(b.Key, ".throttle.") {
				out.WriteString(b.Name + ": " + b.Value + " (" + b.From + ")\n")
			}
		}
		return out.String()
	}
	for keys, want := range map[string]string{
		"ejection: none": "",
		"retries: {attemptTimeout: 300ms, bodies: 0B}": `attempts at a request: 3 (default)
time until the answer to an attempt begins: 300ms (gate.yaml:1)
pause between attempts: 250ms (default)
retries: 10% of the requests of 10s, and 1 a second (default)
body kept for another attempt: none (gate.yaml:1)
`,
		"breaker: {consecutive: 0}, throttle: {k: 1.1}": `failures in a row: none (gate.yaml:1)
time that the breaker is open: 5s (default)
probes: 1 (default)
requests for each that is accepted: 1.1 (gate.yaml:1)
`,
	} {
		if have := chain(keys); have != want {
			t.Errorf("%s\n%s", keys, have)
		}
	}
}
