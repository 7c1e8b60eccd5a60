package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// bodyFile is a file with the body that bodySum is of.
func bodyFile(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "body")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.CopyN(f, backend.NewBytes(), bodySize)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// curl runs curl and returns the answer, and how many 1xx came before it.
func curl(ctx context.Context, args ...string) (a answer, informed []int, err error) {
	out, err := exec.CommandContext(ctx, "curl", append([]string{"-sS", "-i", "--noproxy", "*", "--max-time", "20"}, args...)...).Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return a, nil, fmt.Errorf("curl: %w: %s", err, exit.Stderr)
	} else if err != nil {
		return a, nil, err
	}
	// curl writes HTTP/2 where Go reads HTTP/2.0.
	in := bufio.NewReader(bytes.NewReader(out))
	for {
		var line string
		if line, err = in.ReadString('\n'); err != nil {
			return a, informed, fmt.Errorf("curl printed %.200q", out)
		}
		line = strings.Replace(line, "HTTP/2 ", "HTTP/2.0 ", 1)
		head := bufio.NewReader(io.MultiReader(strings.NewReader(line), in))
		a.Response, err = http.ReadResponse(head, nil)
		if err != nil {
			return a, informed, err
		}
		in = head
		if a.StatusCode >= 200 {
			break
		}
		informed = append(informed, a.StatusCode)
	}
	// Without its transfer coding, which curl has taken off.
	body, err := io.ReadAll(in)
	a.body = string(body)
	if n := a.Response.ContentLength; n > 0 {
		a.Header.Set("Content-Length", fmt.Sprint(n))
	}
	return a, informed, err
}

// curlProtocols are exchanges with curl over HTTP/1.1 or HTTP/2. Its release 7
// fails with 92, or with 18 where it has read the header already, when an upload
// over HTTP/2 is answered before its end and then reset with NO_ERROR, which RFC
// 9113 8.1 says must not keep it from the answer. What comes over the wire then
// is tested by TestARefusedUploadIsAnsweredBeforeItIsReset.
func curlProtocols(t testing.TB) []protocol {
	file := bodyFile(t)
	reset := func(err error, args []string) bool {
		return err != nil && slices.Contains(args, "-T") && slices.Contains(args, "--http2-prior-knowledge") &&
			(strings.Contains(err.Error(), "curl: (92)") || strings.Contains(err.Error(), "curl: (18)"))
	}
	with := func(check func(a answer, informed []int) error, path string, args ...string) func(*rig) func(context.Context) error {
		return func(r *rig) func(context.Context) error {
			return func(ctx context.Context) error {
				a, informed, err := curl(ctx, append(args, r.url+path)...)
				if reset(err, args) {
					return &refused{"with a reset"}
				}
				if err := of(a, err); err != nil {
					return err
				}
				return check(a, informed)
			}
		}
	}
	done := func(a answer, _ []int) error { return want(a.body, "done") }
	whole := func(a answer, _ []int) error { return want(fmt.Sprintf("%x", sha256.Sum256([]byte(a.body))), bodySum) }
	arrived := func(a answer, _ []int) error { return want(a.body, fmt.Sprintf("%d %s", bodySize, bodySum)) }
	hinted := func(a answer, informed []int) error {
		return errors.Join(want(a.body, "done"), want(fmt.Sprint(informed), "[103]"))
	}
	continued := func(a answer, informed []int) error {
		return errors.Join(arrived(a, nil), want(fmt.Sprint(informed), "[100]"))
	}
	download := fmt.Sprintf("/bytes?n=%d", bodySize)
	return []protocol{
		{"HTTP1", with(done, "/work?ms=1", "--http1.1")},
		{"h2c", with(done, "/work?ms=1", "--http2-prior-knowledge")},
		{"download_HTTP1", with(whole, download, "--http1.1")},
		{"download_h2c", with(whole, download, "--http2-prior-knowledge")},
		{"upload_Expect", with(continued, "/sum", "--http1.1", "-T", file, "-H", "Expect: 100-continue", "--expect100-timeout", "20")},
		{"upload_chunked", with(arrived, "/sum", "--http1.1", "-H", "Transfer-Encoding: chunked", "-H", "Expect:", "-T", file)},
		{"upload_h2c", with(arrived, "/sum", "--http2-prior-knowledge", "-T", file)},
		{"hints_103", with(hinted, "/hints", "--http1.1")},
	}
}

func want(have, want string) error {
	if have != want {
		return fmt.Errorf("have %.200q, want %.200q", have, want)
	}
	return nil
}

func TestCurl(t *testing.T) {
	need(t, "curl")
	playAll(t, curlProtocols(t))
}
