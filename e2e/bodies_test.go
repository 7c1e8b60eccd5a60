package e2e

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// long asks for the sizes and counts that the cases name, instead of those that
// are over within seconds.
var long = flag.Bool("long", false, "play the long forms")

// grown runs something and returns by how much more memory the proxy has held
// meanwhile than before, in bytes.
func (r *rig) grown(do func()) int64 {
	r.Helper()
	// The proxy collects garbage when there is some, 16 MiB of it: that is there
	// before as it is later.
	for range 200 {
		if _, err := r.Scrape(); err != nil {
			r.Fatal(err)
		}
	}
	before, _, err := r.Memory()
	if err == nil {
		// 5 makes the highest what it is now (proc(5), clear_refs).
		err = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", r.PID()), []byte("5"), 0)
	}
	if err != nil {
		r.Skip("how much memory a process holds cannot be told here: ", err)
	}
	do()
	_, highest, err := r.Memory()
	if err != nil {
		r.Fatal(err)
	}
	return highest - before
}

func TestB73LargeBodiesAreNotHeld(t *testing.T) {
	size := int64(64 << 20)
	if *long {
		size = 1 << 30
	}
	sum := sha256.New()
	_, _ = io.CopyN(sum, backend.NewBytes(), size) // neither can fail
	want := fmt.Sprintf("%d %x", size, sum.Sum(nil))
	for name, h2 := range map[string]bool{"HTTP1": false, "h2c": true} {
		t.Run(name, func(t *testing.T) {
			r, _ := before(t, "--timeout", "0s")
			c := r.client(h2)
			c.Timeout = 0
			if err := upload(r, c)(t.Context()); err != nil { // buffers are there then
				t.Fatal(err)
			}
			for way, do := range map[string]func() error{
				"up": func() error {
					req, err := http.NewRequestWithContext(t.Context(), "POST", r.url+"/sum", io.LimitReader(backend.NewBytes(), size))
					if err != nil {
						return err
					}
					a, err := fetch(c, req)
					if err == nil && a.body != want {
						err = fmt.Errorf("answered %d %.200q, want %q", a.StatusCode, a.body, want)
					}
					return err
				},
				"down": func() error {
					resp, err := c.Get(fmt.Sprintf("%s/bytes?n=%d", r.url, size))
					if err != nil {
						return err
					}
					defer resp.Body.Close()
					sum := sha256.New()
					n, err := io.Copy(sum, resp.Body)
					if have := fmt.Sprintf("%d %x", n, sum.Sum(nil)); err == nil && have != want {
						err = fmt.Errorf("have %s, want %s", have, want)
					}
					return err
				},
			} {
				grown := r.grown(func() {
					if err := do(); err != nil {
						t.Errorf("%s: %v", way, err)
					}
				})
				t.Logf("%d MiB %s: memory grew by %.1f MiB", size>>20, way, float64(grown)/(1<<20))
				if grown > 64<<20 {
					t.Errorf("%d MiB %s: memory grew by %d MiB", size>>20, way, grown>>20)
				}
			}
			r.quiet()
		})
	}
}

// A reader that stops stops the service, through the windows of both
// connections; and when he goes on, it goes on.
func TestAReaderThatStops(t *testing.T) {
	for name, h2 := range map[string]bool{"HTTP1": false, "h2c": true} {
		t.Run(name, func(t *testing.T) {
			r, h := before(t, "--timeout", "0s")
			resp, err := r.client(h2).Get(r.url + "/endless")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			for range 2 {
				if _, err := io.CopyN(io.Discard, resp.Body, 32<<20); err != nil {
					t.Fatal(err)
				}
				last, same := int64(0), 0
				r.until("the service stops", func() bool {
					if now := h.Sent.Load(); now != last {
						last, same = now, 0
					}
					same++
					return same > 100
				})
			}
			if n := h.Sent.Load(); n > 128<<20 { // buffers of six sockets are in it
				t.Errorf("%d MiB were sent for 64 that were read", n>>20)
			}
		})
	}
}
