package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// late is how long an event may take through the proxy. It takes well under a
// millisecond; what this has to find is one that is held back.
const late = 2 * time.Second

// serverSentEvents expects each event when it is sent.
func serverSentEvents(r *rig, c *http.Client) func(context.Context) error {
	const events = 4
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s/events?n=%d&ms=20", r.url, events), nil)
		if err != nil {
			return err
		}
		resp, err := c.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			body, err := io.ReadAll(resp.Body)
			return of(answer{resp, string(body)}, err)
		}
		seen := 0
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			at, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			sent, err := strconv.ParseInt(at, 10, 64)
			if took := time.Since(time.UnixMicro(sent)); err != nil || took > late {
				return fmt.Errorf("event %d took %s, %v", seen, took, err)
			}
			seen++
		}
		if seen != events {
			return fmt.Errorf("saw %d of %d events", seen, events)
		}
		return nil
	}
}

// webSocket expects an echo of each message, small and large, and a close.
func webSocket(r *rig) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, resp, err := websocket.Dial(ctx, r.url+"/socket", nil)
		if err != nil {
			if resp == nil || resp.StatusCode == http.StatusOK {
				return err
			}
			// The library keeps the first KiB of an answer that is no upgrade.
			body, readErr := io.ReadAll(resp.Body)
			if resp.Header.Get("Upgrade") != "" {
				return fmt.Errorf("%d with Upgrade", resp.StatusCode)
			}
			return of(answer{resp, string(body)}, readErr)
		}
		defer conn.CloseNow()
		conn.SetReadLimit(-1)
		for _, n := range []int{0, 1, 125, 126, 65536, 300000} {
			sent := strings.Repeat("x", n)
			if err := conn.Write(ctx, websocket.MessageBinary, []byte(sent)); err != nil {
				return err
			}
			if _, got, err := conn.Read(ctx); err != nil || string(got) != sent {
				return fmt.Errorf("sent %d bytes, got %d, %w", n, len(got), err)
			}
		}
		return conn.Close(websocket.StatusNormalClosure, "")
	}
}

// bothWays sends the next part of a body when the last has come back: a
// request and its answer at the same time.
func bothWays(r *rig, c *http.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		body, send := io.Pipe()
		defer body.Close()
		req, err := http.NewRequestWithContext(ctx, "POST", r.url+"/echo", body)
		if err != nil {
			return err
		}
		req.Header.Set(conversation, "yes")
		go func() { _, _ = io.WriteString(send, "part 0\n") }() // it is read back
		resp, err := c.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			text, err := io.ReadAll(resp.Body)
			return of(answer{resp, string(text)}, err)
		}
		lines := bufio.NewScanner(resp.Body)
		for i := range 5 {
			if !lines.Scan() || lines.Text() != fmt.Sprintf("part %d", i) {
				return fmt.Errorf("part %d: %q, %v", i, lines.Text(), lines.Err())
			}
			if _, err := fmt.Fprintf(send, "part %d\n", i+1); err != nil {
				return err
			}
		}
		if err := send.Close(); err != nil {
			return err
		}
		if !lines.Scan() || lines.Scan() || lines.Err() != nil {
			return errors.New("the echo does not end with what was sent")
		}
		return nil
	}
}
