package checkout

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// parts is where the parts of a page are called for.
type parts struct {
	url string
	via http.RoundTripper
}

// get calls for a part, whole or cheap.
func (p *parts) get(ctx context.Context, name string, cheap bool) error {
	url := p.url + name
	if cheap {
		url += "?cheap"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := p.via.RoundTrip(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", name, resp.Status)
	}
	return nil
}

// pool is how a service keeps its connections to the one behind it.
func pool() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 1 << 12, IdleConnTimeout: time.Minute, DisableCompression: true}
}
