package cache_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
)

// A service that breaks down, and an answer from before.
func ExampleCache_Handler() {
	broken := false
	service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if broken {
			http.Error(w, "broken", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Cache-Control", "max-age=0")
		io.WriteString(w, "the price list")
	})

	c := cache.New(cache.Config{Bytes: 16 << 20})
	defer c.Close()
	front := c.Handler(cache.Policy{Scope: "prices", Forward: service, StaleIfError: time.Minute})

	for range 2 {
		w := httptest.NewRecorder()
		front.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/prices", nil))
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()), "|", w.Header().Get("Cache-Status"))
		broken = true
	}
	// Output:
	// 200 the price list | plimsoll; fwd=uri-miss; stored
	// 200 the price list | plimsoll; fwd=stale; fwd-status=500
}
