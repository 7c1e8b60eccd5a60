package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// ReadKey reads a secret that is shared with callers, as [wire.DecodeKey] has
// it: base64 text, or the bytes as they are, 32 at least.
func ReadKey(name string) ([]byte, error) {
	data, err := strict.Contents(name)
	if err != nil {
		return nil, err
	}
	return wire.DecodeKey(data)
}

// ReadCA reads the roots of a PEM file.
func ReadCA(name string) (*x509.CertPool, error) {
	data, err := strict.Contents(name)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, errors.New("it has no certificate in PEM")
	}
	return pool, nil
}

// files looks into every file that the settings name.
func (r *reader) files(c Config) {
	for i, l := range c.Listeners {
		r.pair(fmt.Sprintf("listeners[%d].tls", i), l.TLS.Certificate, l.TLS.Key)
	}
	for _, u := range c.Upstreams {
		place := "upstreams." + u.Name + ".tls"
		r.pair(place, u.TLS.Certificate, u.TLS.Key)
		if u.TLS.CA != "" {
			_, err := ReadCA(u.TLS.CA)
			r.unusable(place+".ca", u.TLS.CA, err)
		}
	}
	for i, rt := range c.Routes {
		r.fallbackFiles(fmt.Sprintf("routes[%d]", i), rt)
	}
	r.recordFiles(c.Record)
	for i, k := range c.Trust.Keys {
		if k.File != "" {
			_, err := ReadKey(k.File)
			r.unusable(fmt.Sprintf("trust.keys[%d].file", i), k.File, err)
		}
	}
}

// pair looks into a certificate and its key.
func (r *reader) pair(place, certificate, key string) {
	if certificate == "" || key == "" || !r.fine(place) {
		return
	}
	missing := false
	for _, f := range []struct{ key, name string }{{".certificate", certificate}, {".key", key}} {
		if _, err := strict.Contents(f.name); err != nil {
			r.unusable(place+f.key, f.name, err)
			missing = true
		}
	}
	if !missing {
		_, err := tls.LoadX509KeyPair(certificate, key)
		r.unusable(place+".certificate", certificate, err)
	}
}

func (r *reader) unusable(place, name string, err error) {
	if err != nil {
		r.Want(r.giver(place), "a file that can be used, have %s: %s", name, err)
	}
}
