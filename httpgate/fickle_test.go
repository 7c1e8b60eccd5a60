package httpgate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
)

// counted is a body that counts how often it is closed.
type counted struct {
	io.Reader
	n atomic.Int64
}

func (c *counted) Close() error { c.n.Add(1); return nil }

// TestB16BodiesOverAFickleConnection: over HTTP/2, whatever becomes of streams
// and connections while bodies are being sent, what is answered was sent as it
// is; what must not be done twice is had as a whole at most once, and other things
// no more often than there are attempts.
func TestB16BodiesOverAFickleConnection(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	bubble(t, func(t *testing.T) {
		server := &fickle{random: rand.New(rand.NewPCG(5, 6)), whole: map[uint64]int{}}
		p := newPipes()
		defer p.Close()
		go server.serve(p)
		// net/http does not always close by itself what it was told to go away
		// from: not if somebody had a stream reserved when the last one ended.
		defer server.hangUp()
		next := p.transport2()
		defer next.CloseIdleConnections()
		c := rest.Client(t, client.Config{Timeout: 10 * time.Second, Retry: retry.Policy{Attempts: 4, Backoff: retry.Backoff{Base: time.Millisecond}}})
		tr := Transport(c, next)
		var number, good atomic.Uint64
		var mu sync.Mutex
		methods, bodies := map[uint64]string{}, map[uint64]*counted{}
		var callers sync.WaitGroup
		for i := range 8 {
			callers.Go(func() {
				random := rand.New(rand.NewPCG(7, uint64(i)))
				for range rounds {
					for _, size := range []int{8, 20_000, DefaultMaxReplay, DefaultMaxReplay + 1, 200_000} {
						for _, method := range []string{"POST", "PUT"} {
							id := number.Add(1)
							content := make([]byte, size)
							rand.NewChaCha8([32]byte{byte(id)}).Read(content)
							binary.BigEndian.PutUint64(content, id)
							body := &counted{Reader: bytes.NewReader(content)}
							r := request(t, method, "http://x/", body)
							if random.IntN(2) == 0 {
								r.ContentLength = int64(size)
							}
							if random.IntN(3) == 0 {
								r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
							}
							if sent(t, tr, r, content) {
								good.Add(1)
							}
							mu.Lock()
							methods[id], bodies[id] = method, body
							mu.Unlock()
						}
					}
				}
			})
		}
		callers.Wait()
		synctest.Wait()
		for id, body := range bodies {
			if body.n.Load() == 0 {
				t.Errorf("request %d: its body was not closed", id)
			}
			if whole := server.whole[id]; methods[id] == "POST" && whole > 1 || whole > 4 {
				t.Errorf("%s %d was had as a whole %d times", methods[id], id, whole)
			}
		}
		if all := number.Load(); good.Load() < all/2 || good.Load() == all {
			t.Errorf("%d of %d are answered", good.Load(), all)
		}
		for mood, n := range server.did {
			if n == 0 {
				t.Errorf("no stream had mood %d", mood)
			}
		}
		t.Logf("%d of %d are answered, in %d attempts; moods %v", good.Load(), number.Load(), c.Status().Attempts, server.did)
	})
}

// sent sends a request and reports whether it is answered, which is then as it
// should be.
func sent(t *testing.T, tr http.RoundTripper, r *http.Request, content []byte) bool {
	resp, err := tr.RoundTrip(r)
	if err != nil {
		var e *client.Error
		if !errors.As(err, &e) || e.Attempts > 4 {
			t.Error(err)
		}
		return false
	}
	defer resp.Body.Close()
	sum, err := io.ReadAll(resp.Body)
	if err != nil {
		return false // the connection was cut for another stream's sake
	}
	if want := sha256.Sum256(content); !bytes.Equal(sum, want[:]) {
		t.Errorf("another body than %d's has been had", binary.BigEndian.Uint64(content))
	}
	return true
}
