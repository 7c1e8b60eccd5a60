package config

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Endpoint is one place where a service is. Endpoints compare with ==.
type Endpoint struct {
	// Scheme is http, https or h2c: HTTP/2 without TLS.
	Scheme string
	// Host is a host, with or without a port.
	Host string
}

// String returns the endpoint as a file has it.
func (e Endpoint) String() string {
	if e == (Endpoint{}) {
		return ""
	}
	return (&url.URL{Scheme: e.Scheme, Host: e.Host}).String() // which escapes a zone, and what is not ASCII
}

// URL returns where requests are sent: its scheme is http or https.
func (e Endpoint) URL() *url.URL {
	scheme := e.Scheme
	if scheme == "h2c" {
		scheme = "http"
	}
	return &url.URL{Scheme: scheme, Host: e.Host}
}

// ParseEndpoint reads http://, https:// or h2c:// and a host.
func ParseEndpoint(s string) (e Endpoint, ok bool) {
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "h2c", u.Hostname() == "":
		return e, false
	case !utf8.ValidString(u.Host): // http://shop%80
		return e, false
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return e, false
	case u.Port() != "" && !validPort(u.Port()):
		return e, false
	}
	return Endpoint{Scheme: u.Scheme, Host: u.Host}, true
}

// same reports whether two endpoints are one, written in two ways.
func (e Endpoint) same(o Endpoint) bool {
	a, b := e.URL(), o.URL()
	return e.Scheme == o.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) &&
		cmp.Or(a.Port(), defaultPorts[a.Scheme]) == cmp.Or(b.Port(), defaultPorts[b.Scheme])
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func validPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

var endpoint = textual("endpoint", "http://, https:// or h2c:// and a host, such as http://127.0.0.1:8081, and nothing behind it", `^(http|https|h2c)://[^/?#@ ]+/?$`,
	ParseEndpoint, Endpoint.String)
