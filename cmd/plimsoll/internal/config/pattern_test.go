package config

import "testing"

func TestPatternMatch(t *testing.T) {
	for _, c := range []struct {
		pattern Pattern
		path    string
		want    bool
	}{
		{"", "/anything", true},
		{"/a", "/a", true},
		{"/a", "/a/", false},
		{"/a", "/ab", false},
		{"/a", "/", false},
		{"/a/", "/a/", true},
		{"/a/", "/a", false},
		{"/a/*", "/a/b/c", true},
		{"/a/*", "/a/", true},
		{"/a/*", "/a", false},
		{"/a*", "/a", true},
		{"/a*", "/ab/c", true},
		{"/*", "/", true},
		{"/users/*/orders", "/users/7/orders", true},
		{"/users/*/orders", "/users//orders", false},
		{"/users/*/orders", "/users/7/8/orders", false},
		{"/users/*/orders*", "/users/7/orders/9", true},
		{"/users/*/", "/users/7/", true},
		{"/users/*/", "/users/7", false},
		{"/a", "", false},
	} {
		if got := c.pattern.Match(c.path); got != c.want {
			t.Errorf("%s of %s: %v", c.pattern, c.path, got)
		}
	}
}

func TestPatternValid(t *testing.T) {
	for p, want := range map[Pattern]bool{
		"/": true, "/*": true, "/a*": true, "/*/b": true, "/a/*/": true,
		"": false, "a": false, "*": false, "/a*b": false, "/a*/b": false, "/a/**": false,
	} {
		if p.valid() != want {
			t.Errorf("%q: %v", p, !want)
		}
	}
}

func TestClean(t *testing.T) {
	for have, want := range map[string]string{
		"/a/b": "/a/b", "/a/": "/a/", "/": "/", "": "/", "*": "/*",
		"/cheap/../dear": "/dear", "//a": "/a", "/a//b/": "/a/b/", "/a/.": "/a", "/..": "/", "/a/./": "/a/",
	} {
		if got := Clean(have); got != want {
			t.Errorf("%q: %q, want %q", have, got, want)
		}
		if IsClean(have) != (have == want) {
			t.Errorf("%q: IsClean is %v", have, IsClean(have))
		}
	}
}
