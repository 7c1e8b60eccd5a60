// Package admin asks a running proxy's admin port, for the commands that look
// at one or act on it.
package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/bounds"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// Timeout bounds every question.
const Timeout = 10 * time.Second

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 20

// Port is a proxy's admin port. Make one with [Parse].
type Port struct {
	base   *url.URL
	client http.Client
}

// Parse reads the address of an admin port: host:port, :port for this machine,
// or a URL.
func Parse(text string) (*Port, error) {
	address := text
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("want the address of a proxy's admin port, such as 127.0.0.1:9090, have %q", text)
	}
	if u.Port() == "" && !strings.Contains(text, "://") {
		return nil, fmt.Errorf("want a port as well, such as %s, have %q", net.JoinHostPort(u.Hostname(), "9090"), text)
	}
	return &Port{base: u, client: http.Client{Timeout: Timeout}}, nil
}

// String is the address.
func (p *Port) String() string { return p.base.String() }

// Status asks how the proxy is.
func (p *Port) Status(ctx context.Context) (s telemetry.Status, err error) {
	if err := p.ask(ctx, http.MethodGet, "status", nil, &s); err != nil {
		return s, err
	}
	if s.Version != telemetry.StatusVersion {
		return s, fmt.Errorf("%s: /status has version %d, and this program knows %d: use the plimsoll of the proxy", p, s.Version, telemetry.StatusVersion)
	}
	return s, nil
}

// Bounds asks for the chain of bounds.
func (p *Port) Bounds(ctx context.Context) (c *bounds.Chain, err error) {
	err = p.ask(ctx, http.MethodGet, "bounds", nil, &c)
	if err == nil && (c == nil || c.Bounds == nil) {
		err = fmt.Errorf("%s: what answers is no proxy that knows its bounds", p)
	}
	return c, err
}

// Recover frees a gate, or all where the name is empty, with a ramp that is
// the configured one where it is negative. It returns the names of the gates.
func (p *Port) Recover(ctx context.Context, gate string, ramp time.Duration) ([]string, error) {
	query := url.Values{}
	if gate != "" {
		query.Set("gate", gate)
	}
	if ramp >= 0 {
		query.Set("ramp", ramp.String())
	}
	var answer telemetry.Recovered
	err := p.ask(ctx, http.MethodPost, "recover", query, &answer)
	return answer.Gates, err
}

// Tier has a person, who may give a name, switch a tier: on, off or auto; of a
// gate, or of all that have it where the name of the gate is empty. It returns the
// names of the gates.
func (p *Port) Tier(ctx context.Context, gate, tier, mode, by string) ([]string, error) {
	query := url.Values{"tier": {tier}, "mode": {mode}}
	if gate != "" {
		query.Set("gate", gate)
	}
	if by != "" {
		query.Set("by", by)
	}
	var answer telemetry.Recovered
	err := p.ask(ctx, http.MethodPost, "tier", query, &answer)
	return answer.Gates, err
}

// ask sends a question and decodes the answer.
func (p *Port) ask(ctx context.Context, method, path string, query url.Values, into any) error {
	u := p.base.JoinPath(path)
	u.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return err
	}
	resp, err := p.client.Do(r)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the URL, which is said below
		}
		return fmt.Errorf("%s: no answer from the admin port: %w", p, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%s: the answer broke off: %w", p, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", p, resp.Status, strings.TrimSpace(string(body[:min(len(body), 500)])))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s: not the admin port of a proxy: %w", p, err)
	}
	return nil
}
