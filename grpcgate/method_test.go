package grpcgate

import "testing"

func TestPatterns(t *testing.T) {
	m := newMethods("rest")
	for _, p := range []string{"*", "/shop.Cart/*", "/shop.Cart/Add", "/shop.v1.Cart/*"} {
		if !validPattern(p) {
			t.Errorf("%q is a pattern", p)
		}
		if err := m.add(p, p); err != nil {
			t.Error(err)
		}
		if err := m.add(p, p); err == nil {
			t.Errorf("%q twice: no error", p)
		}
	}
	for method, want := range map[string]string{
		"/shop.Cart/Add":      "/shop.Cart/Add",
		"/shop.Cart/AddAll":   "/shop.Cart/*",
		"/shop.Cart/":         "/shop.Cart/*",
		"/shop.v1.Cart/Add":   "/shop.v1.Cart/*",
		"/shop.Cart/x/Add":    "*",
		"/shop.Carts/Add":     "*",
		"/*/Add":              "*",
		"":                    "*",
		"shop.Cart/Add":       "*",
		"/shop.Cart/Add/more": "*",
	} {
		if got := m.find(method); got != want {
			t.Errorf("%q: have %q, want %q", method, got, want)
		}
	}
	empty := newMethods("rest")
	if got := empty.find("/shop.Cart/Add"); got != "rest" {
		t.Errorf("no patterns: have %q", got)
	}
}

func TestPatternsThatAreNone(t *testing.T) {
	for _, p := range []string{"", "/", "/*", "//", "/*/*", "shop.Cart/Add", "/shop.Cart", "/shop.Cart/", "/shop.*/Add", "/shop/Cart/Add", "/shop.Cart/A*", "**", "/shop.Cart"} {
		if validPattern(p) {
			t.Errorf("%q is no pattern", p)
		}
	}
}
