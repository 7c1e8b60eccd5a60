//go:build !linux

package target

import (
	"net/url"
	"testing"
)

// waiting cannot be counted here.
func waiting(*testing.T, *url.URL) int { return 0 }

// full cannot be had here.
func full(t *testing.T) string {
	t.Skip("a backlog that is full answers attempts to connect here")
	return ""
}
