package port

import (
	"crypto/tls"
	"sync/atomic"
)

// TLS names the files of a certificate and of its key, PEM both.
type TLS struct{ Certificate, Key string }

// certificate is the one in force.
type certificate struct {
	current atomic.Pointer[tls.Certificate]
}

// load reads the files.
func (t TLS) load() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(t.Certificate, t.Key)
	if err != nil {
		return nil, err
	}
	return &pair, nil
}

// config presents whatever certificate is in force when a connection begins.
func (c *certificate) config() *tls.Config {
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return c.current.Load(), nil
	}}
}
