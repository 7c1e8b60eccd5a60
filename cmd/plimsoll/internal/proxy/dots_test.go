package proxy

import (
	"net/url"
	"path"
	"testing"
)

// Whatever is not ambiguous has no dot segment once it is resolved, leads where it
// led, and is written as it is read.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"/a/../b", "/..", "/a/./", "/a/%2e%2E/b%2Fc", "/a/..;x", `/a\..`, "//a/..", "/%2F/..", "/a;b/../c", "*", "/%zz", "/a/%2525/.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.ParseRequestURI(text)
		if err != nil || u.Opaque != "" || ambiguous(u) {
			return
		}
		before := u.Path
		resolve(u)
		if dotted(u.Path) || ambiguous(u) || path.Clean(u.Path) != path.Clean(before) {
			t.Errorf("%q became %q", before, u.Path)
		}
		if again, err := url.PathUnescape(u.EscapedPath()); err != nil || again != u.Path {
			t.Errorf("%q is written as %q", u.Path, u.EscapedPath())
		}
		if after := *u; after.Path != "" {
			if resolve(&after); after != *u {
				t.Errorf("%q, once more, is %q", u.Path, after.Path)
			}
		}
	})
}
