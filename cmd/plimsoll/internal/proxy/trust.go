package proxy

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// trusts reports whether a request came from where callers are believed.
func trusts(t *config.Trust, r *http.Request) bool {
	if t.Everyone || len(t.Networks) == 0 {
		return t.Everyone
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	addr := from.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(t.Networks, func(n netip.Prefix) bool { return n.Contains(addr) })
}

// keyring reads the keys that signatures are verified with. Nil: there are
// none.
func keyring(t config.Trust) (*wire.Keyring, error) {
	if len(t.Keys) == 0 {
		return nil, nil
	}
	secrets := make(map[string][]byte, len(t.Keys))
	for _, k := range t.Keys {
		secret, err := config.ReadKey(k.File)
		if err != nil {
			return nil, fmt.Errorf("trust: key %s: %s: %w", k.ID, k.File, err)
		}
		secrets[k.ID] = secret
	}
	return wire.NewKeyring(secrets)
}
