package config

import (
	"net/netip"
	"slices"
)

// Trust is who is believed.
type Trust struct {
	// Everyone says that all callers are; then there are no networks.
	Everyone bool
	// Networks are where trusted callers come from.
	Networks []netip.Prefix
	// Keys sign what a caller says, wherever it comes from.
	Keys []Key
}

// Equal reports whether two are the same in everything, the contents of key
// files left out.
func (t Trust) Equal(o Trust) bool {
	return t.Everyone == o.Everyone && slices.Equal(t.Networks, o.Networks) && slices.Equal(t.Keys, o.Keys)
}

// Key is a secret shared with callers; [ReadKey] reads it.
type Key struct {
	ID   string // goes with the signature, unique
	File string // an absolute path
}

var trust = object(zero[Trust],
	member("everyone", truth, func(t *Trust) *bool { return &t.Everyone },
		"Whether all callers are trusted."),
	member("networks", list("networks", zero[netip.Prefix], network), func(t *Trust) *[]netip.Prefix { return &t.Networks },
		"The networks that trusted callers come from, such as [10.0.0.0/8, ::1]."),
	member("keys", list("keys", zero[Key], keyKind), func(t *Trust) *[]Key { return &t.Keys },
		"Secrets, shared with callers, that sign criticality and deadline (HMAC): who signs is trusted wherever it comes from. Several, so that one can follow another."),
).also(schema{
	"if":   schema{"properties": schema{"everyone": schema{"const": true}}, "required": []string{"everyone"}},
	"then": schema{"properties": schema{"networks": schema{"maxItems": 0}}},
})

var keyKind = object(zero[Key],
	member("id", name("a name of letters, digits, - and _"), func(k *Key) *string { return &k.ID },
		"What the key is called in the signature, each once.").need("what the key is called, such as edge-1"),
	member("file", file, func(k *Key) *string { return &k.File },
		"A file with the secret: base64 text, or 32 bytes or more as they are. Read again when it changes.").need("the file with the key, such as edge-1.key"),
)
