package checkout

import "context"

// shop is a checkout and what is behind it.
type shop struct{ behind, checkout *process }

// open starts a checkout of that role before a store, or for quotes before a
// pricing service.
func open(ctx context.Context, role string, quotes bool) (*shop, error) {
	behind := Service{Role: roleStore}
	if quotes {
		behind.Role = rolePricing
	}
	b, err := start(ctx, behind)
	if err != nil {
		return nil, err
	}
	c, err := start(ctx, Service{Role: role, Behind: b.url, Quotes: quotes})
	if err != nil {
		b.stop()
		return nil, err
	}
	return &shop{behind: b, checkout: c}, nil
}

func (s *shop) close() {
	s.checkout.stop()
	s.behind.stop()
}
