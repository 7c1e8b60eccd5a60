package tier

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"os/user"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// source is a proxy with one gate of two tiers.
type source struct {
	gate   *plimsoll.Gate
	record *telemetry.Recorder
}

func (s *source) View() telemetry.View {
	now := s.gate.Snapshot()
	return telemetry.View{Name: "shop", At: now.At, Since: now.At, Gates: []*plimsoll.Snapshot{&now}}
}
func (s *source) Ready() string                                   { return "" }
func (s *source) Recover(string, time.Duration) ([]string, error) { return nil, nil }
func (s *source) Reload() error                                   { return nil }
func (s *source) Bounds() any                                     { return nil }
func (s *source) Tier(_, tier string, who telemetry.Person) ([]string, error) {
	mode := map[string]ladder.Mode{"on": ladder.On, "off": ladder.Off, "auto": ladder.Auto}[who.Mode]
	if err := s.gate.Override(tier, mode); err != nil {
		return nil, err
	}
	s.record.Switched("shop", tier, who)
	return []string{"shop"}, nil
}

// run runs a command line against a proxy.
func run(t *testing.T, admin string, args ...string) (string, error) {
	t.Helper()
	var c struct {
		Tier Cmd `cmd:""`
	}
	var out bytes.Buffer
	p, err := kong.New(&c, kong.Writers(&out, &out), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := p.Parse(append([]string{"tier", admin}, args...))
	if err != nil {
		t.Fatal(err)
	}
	err = ctx.Run()
	return out.String(), err
}

func TestTier(t *testing.T) {
	gate, err := plimsoll.New(plimsoll.Config{Name: "shop", Ladder: &ladder.Config{
		Tiers: []ladder.Tier{{Name: "reviews", On: 1e8}, {Name: "images", On: 2e8}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := &source{gate, telemetry.New(slog.New(slog.NewTextHandler(&log, nil)))}
	server := httptest.NewServer(s.record.Admin(s))
	defer server.Close()

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"on", "images", "--by", "ada", "--gate", "shop"}, "images on: shop\n"},
		{[]string{"off", "reviews"}, "reviews off: shop\n"},
		{[]string{"auto", "reviews", "--json"}, "{\"gates\":[\"shop\"]}\n"},
	} {
		if have, err := run(t, server.URL, c.args...); err != nil || have != c.want {
			t.Errorf("%v: %q, %v", c.args, have, err)
		}
	}
	have, err := run(t, server.URL, "list")
	lines := strings.Split(have, "\n")
	if err != nil || len(lines) != 4 || !strings.HasPrefix(lines[1], "shop  reviews  off    -") || !strings.HasPrefix(lines[2], "shop  images   on     0s") ||
		!strings.Contains(lines[2], "on    0         0          -      ada (127.0.0.1:") {
		t.Errorf("%v\n%s", err, have)
	}
	if have, err := run(t, server.URL, "list", "--json"); err != nil || !strings.Contains(have, `"mode": "on"`) || !strings.Contains(have, `"by": "ada"`) {
		t.Errorf("%v\n%s", err, have)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "tier=reviews mode=off by="+me.Username+" ") {
		t.Errorf("who does not say is not known by the account:\n%s", log.String())
	}
	if !strings.Contains(log.String(), `msg="tier switched by a person" gate=shop tier=images mode=on by=ada from=127.0.0.1:`) {
		t.Errorf("the log does not say who:\n%s", log.String())
	}
	if _, err := run(t, server.URL, "on", "image"); err == nil || !strings.Contains(err.Error(), `no tier "image"`) {
		t.Errorf("%v", err)
	}
	if _, err := run(t, server.URL, "list", "--gate", "x"); err == nil || err.Error() != `there is no gate "x"` {
		t.Errorf("%v", err)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		cmd  Cmd
		want string
	}{
		{Cmd{Admin: ":1", Do: "up"}, `<do>: want list, on, off or auto, have "up"`},
		{Cmd{Admin: ":1", Do: "on"}, "<tier>: want the name of the tier to switch; list has them"},
		{Cmd{Admin: ":1", Do: "list", Tier: "a"}, `<tier>: want no tier with list, have "a"`},
		{Cmd{Admin: ":1", Do: "on", Tier: "a", By: strings.Repeat("a", 101)}, "--by: want a name of 100 bytes at most"},
		{Cmd{Admin: "x y", Do: "list"}, `<admin>: want the address of a proxy's admin port, such as 127.0.0.1:9090, have "x y"`},
		{Cmd{Admin: ":1", Do: "auto", Tier: "a"}, ""},
	} {
		have := ""
		if err := c.cmd.Check(); err != nil {
			have = err.Error()
		}
		if have != c.want {
			t.Errorf("%+v: %q, want %q", c.cmd, have, c.want)
		}
	}
}
