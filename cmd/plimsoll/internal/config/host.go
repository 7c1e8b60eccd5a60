package config

import (
	"net"
	"regexp"
	"strings"
)

// Host matches the host that a request is for, whatever its port. It is a name
// or an address in lower case, or "*." and a name for everything below that.
// An empty Host matches every host.
type Host string

// Match reports whether h matches the host of a request, which may have a
// port.
func (h Host) Match(host string) bool {
	if h == "" {
		return true
	}
	// As net.SplitHostPort, whose error for a host without a port is allocated.
	if i := strings.LastIndexByte(host, ':'); i > 0 && (strings.IndexByte(host, ':') == i || host[i-1] == ']') {
		host = host[:i]
	}
	host = strings.Trim(host, "[]")
	host = strings.TrimSuffix(host, ".")
	if below, ok := strings.CutPrefix(string(h), "*"); ok {
		return len(host) > len(below) && strings.EqualFold(host[len(host)-len(below):], below)
	}
	return strings.EqualFold(host, string(h))
}

const (
	hostForm        = `^[A-Za-z0-9_.:-]{1,253}$`
	hostPatternForm = `^(\*\.)?[A-Za-z0-9_.:-]{1,253}$`
)

var (
	hosts        = regexp.MustCompile(hostForm)
	hostPatterns = regexp.MustCompile(hostPatternForm)
)

var host = textual("host", "the name of a host, such as shop.example", hostForm, func(s string) (string, bool) {
	return strings.ToLower(s), hosts.MatchString(s)
}, same)

var hostPattern = textual("host", "the name of a host without a port, or of all below one, such as shop.example or *.shop.example", hostPatternForm, func(s string) (Host, bool) {
	_, _, err := net.SplitHostPort(s)
	return Host(strings.ToLower(s)), hostPatterns.MatchString(s) && err != nil
}, func(h Host) string { return string(h) })
