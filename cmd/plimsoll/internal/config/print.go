package config

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"
)

// Print writes the settings as a file that [Load] reads back: every key, its
// defaults included, durations as 1m30s.
func (c Config) Print(w io.Writer) error {
	var b strings.Builder
	line := func(key string, v any) { fmt.Fprintf(&b, "%s: %v\n", key, v) }
	line("version", Version)
	line("name", quoted(c.Name))
	line("listen", quoted(c.Listen))
	line("admin", quoted(c.Admin))
	line("upstream", quoted(c.Upstream.String()))
	if c.Limit != 0 {
		line("limit", c.Limit)
	} else {
		line("limit", "auto")
		line("minLimit", c.MinLimit)
		line("maxLimit", c.MaxLimit)
	}
	line("maxWait", c.MaxWait)
	if c.MaxQueue == Unbounded {
		line("maxQueue", "auto")
	} else {
		line("maxQueue", c.MaxQueue)
	}
	line("order", c.Order)
	line("full", c.Full)
	line("maxStreams", c.MaxStreams)
	line("timeout", c.Timeout)
	line("maxTimeout", c.MaxTimeout)
	line("timeoutHeader", quoted(c.TimeoutHeader))
	line("hopMargin", c.HopMargin)
	line("statusWhenFull", c.StatusWhenFull)
	if len(c.TrustedNetworks) > 0 {
		list(&b, "trustedNetworks", c.TrustedNetworks)
	} else {
		line("trusted", c.Trusted)
	}
	if c.LevelHeader != "" {
		line("levelHeader", quoted(c.LevelHeader))
	}
	if c.TenantHeader != "" {
		line("tenantHeader", quoted(c.TenantHeader))
	}
	list(&b, "exempt", c.Exempt)
	c.printRules(&b)
	line("readyWhenFull", c.ReadyWhenFull)
	line("drainDelay", c.DrainDelay)
	line("drainTimeout", c.DrainTimeout)
	line("readHeaderTimeout", c.ReadHeaderTimeout)
	line("idleTimeout", c.IdleTimeout)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Config) printRules(b *strings.Builder) {
	if len(c.Rules) == 0 {
		b.WriteString("rules: []\n")
		return
	}
	b.WriteString("rules:\n")
	for _, r := range c.Rules {
		var parts []string
		if r.Path != "" {
			parts = append(parts, "path: "+quoted(string(r.Path)))
		}
		if len(r.Methods) > 0 {
			parts = append(parts, "methods: ["+strings.Join(each(r.Methods, quoted), ", ")+"]")
		}
		if len(r.Headers) > 0 {
			pairs := each(r.Headers, func(h HeaderMatch) string { return quoted(h.Name) + ": " + quoted(h.Value) })
			parts = append(parts, "headers: {"+strings.Join(pairs, ", ")+"}")
		}
		if r.Criticality != class.Unset {
			parts = append(parts, "criticality: "+r.Criticality.String())
		}
		if r.Stream {
			parts = append(parts, "stream: true")
		}
		b.WriteString("  - " + strings.Join(parts, "\n    ") + "\n")
	}
}

func list[T any](b *strings.Builder, key string, values []T) {
	fmt.Fprintf(b, "%s: [%s]\n", key, strings.Join(each(values, func(v T) string { return quoted(fmt.Sprint(v)) }), ", "))
}

func each[T any](values []T, text func(T) string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = text(v)
	}
	return out
}

// quoted is a string as YAML reads it back: plain where that is safe.
func quoted(s string) string {
	if plain(s) {
		return s
	}
	return strconv.QuoteToASCII(s)
}

// plain reports whether YAML takes s for a string without quotes.
func plain(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return false
	}
	first := s[0]
	if !(first >= 'a' && first <= 'z' || first >= 'A' && first <= 'Z' || first == '/') || s[len(s)-1] == ':' {
		return false
	}
	for _, c := range s {
		if c <= ' ' || c > '~' || strings.ContainsRune("#,[]{}\"'&*!|>%@`", c) {
			return false
		}
	}
	return true
}
