package config

import (
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// environment finds variables that somebody set for a flag. Nothing is read
// from the environment, and what nothing reads would look as if it were in
// force. Others that begin with PLIMSOLL_ are left alone: an orchestrator
// makes some of the names of services.
func (r *reader) environment(variables []string) {
	names := []string{"config"}
	for _, f := range flags {
		names = append(names, f.key)
	}
	for _, name := range names {
		flag := flagName(name)
		key := "PLIMSOLL_" + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_"))
		for _, v := range variables {
			if strings.HasPrefix(v, key+"=") {
				r.Want(strict.Value{Key: key}, "%s, or the key in a file; nothing is read from the environment", flag)
			}
		}
	}
}
