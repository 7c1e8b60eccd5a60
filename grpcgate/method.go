package grpcgate

import (
	"fmt"
	"strings"
)

// A pattern names methods as gRPC does: /package.Service/Method, all of a
// service as /package.Service/*, or everything as *. The most specific that
// fits decides, wherever it stands.

// validPattern reports whether p is a pattern.
func validPattern(p string) bool {
	if p == everything {
		return true
	}
	service, method, ok := splitMethod(p)
	return ok && service != "" && method != "" && !strings.ContainsAny(service, "*/") && (method == everything || !strings.Contains(method, everything))
}

const everything = "*"

// splitMethod splits at the last slash, as grpc-go does.
func splitMethod(full string) (service, method string, ok bool) {
	rest, ok := strings.CutPrefix(full, "/")
	i := strings.LastIndexByte(rest, '/')
	if !ok || i < 0 {
		return "", "", false
	}
	return rest[:i], rest[i+1:], true
}

// methods finds what belongs to a method.
type methods[T any] struct {
	exact    map[string]T
	services map[string]T
	rest     T
}

func newMethods[T any](rest T) methods[T] {
	return methods[T]{exact: make(map[string]T), services: make(map[string]T), rest: rest}
}

// add gives what fits a pattern its v. A pattern that is there already is an
// error.
func (m *methods[T]) add(pattern string, v T) error {
	table, key := m.exact, pattern
	switch service, method, _ := splitMethod(pattern); {
	case pattern == everything:
		table, key = m.services, everything // no service has this name
		m.rest = v
	case method == everything:
		table, key = m.services, service
	}
	if _, there := table[key]; there {
		return fmt.Errorf("the pattern %q is there twice", pattern)
	}
	table[key] = v
	return nil
}

// find returns what belongs to a method.
func (m *methods[T]) find(full string) T {
	if v, ok := m.exact[full]; ok {
		return v
	}
	if len(m.services) > 0 {
		if service, _, ok := splitMethod(full); ok {
			if v, ok := m.services[service]; ok && service != everything {
				return v
			}
		}
	}
	return m.rest
}
