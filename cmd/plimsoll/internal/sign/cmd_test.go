package sign

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

var (
	secret = bytes.Repeat([]byte{3}, wire.MinKeyBytes)
	now    = time.Unix(1_730_000_000, 500_000_000)
)

func keyFile(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "edge-1.key")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// call runs the command as the program does.
func call(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	c := Cmd{now: func() time.Time { return now }}
	var b bytes.Buffer
	k, err := kong.New(&c, kong.Writers(&b, &b), kong.WithHyphenPrefixedParameters(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Parse(args); err != nil {
		t.Fatal(err)
	}
	err = c.Run(k)
	return b.String(), err
}

// What is printed is believed by whoever has the key, in either form of it.
func TestSign(t *testing.T) {
	keys, err := wire.NewKeyring(map[string][]byte{"edge-1": secret})
	if err != nil {
		t.Fatal(err)
	}
	name := keyFile(t, []byte(base64.StdEncoding.EncodeToString(secret)+"\n"))
	out, err := call(t, "--key", name, "--id", "edge-1")
	value, ok := strings.CutPrefix(strings.TrimSpace(out), "Plimsoll-Signature: ")
	if err != nil || !ok {
		t.Fatalf("%q, %v", out, err)
	}
	claims, verdict := keys.Verify(value, now)
	if verdict != wire.Verified || claims.Criticality != class.CriticalPlus || claims.Expires.Unix() != 1_730_000_060 || claims.Level != 0 || claims.Timeout != 0 {
		t.Errorf("%s is %v, %+v", value, verdict, claims)
	}

	out, err = call(t, "--key", keyFile(t, secret), "--id", "edge-1", "--criticality", "sheddable", "--level", "7", "--timeout", "2s", "--expires", "5m", "--json")
	var s signed
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	claims, verdict = keys.Verify(s.Value, now)
	if err != nil || verdict != wire.Verified || claims.Criticality != class.Sheddable || claims.Level != 7 || claims.Timeout != 2*time.Second {
		t.Errorf("%s is %v, %+v", s.Value, verdict, claims)
	}
	if s.Header != "Plimsoll-Signature" || s.Key != "edge-1" || s.TimeoutMs != 2000 || s.Level != 7 || !s.Expires.Equal(claims.Expires) {
		t.Errorf("%s", out)
	}
}

// All faults at once, and no secret in them.
func TestFaults(t *testing.T) {
	short := keyFile(t, []byte("c2VjcmV0"))
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"--id: want the id of the key", "--key: want the file with the key"}},
		{[]string{"--id", "a b", "--key", keyFile(t, secret)}, []string{`--id: want 1 to 64 letters, digits, '.', '-' or '_', have "a b"`}},
		{[]string{"--id", "a", "--key", filepath.Join(t.TempDir(), "none")}, []string{"--key: want a file that can be used, have "}},
		{[]string{"--id", "a", "--key", short, "--criticality", "VIP", "--level", "128", "--timeout", "5", "--expires", "6m"}, []string{
			"--key: want a file that can be used, have " + short + ": want 32 bytes or more behind the base64, have 6",
			`--criticality: want CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE, have "VIP"`,
			"--level: want a whole number from 1 to 127, have 128",
			"--timeout: want a duration above 0; it needs a unit",
			"--expires: want whole seconds, 5m0s at most, have 6m",
		}},
		{[]string{"--id", "a", "--key", keyFile(t, secret), "--level", "0", "--timeout", "1us", "--expires", "0"}, []string{
			"--level: want a whole number from 1 to 127, have 0",
			"--timeout: want whole milliseconds, have 1us",
			"--expires: want a duration above 0; it needs a unit",
		}},
	} {
		out, err := call(t, tt.args...)
		faults, ok := strict.FaultsOf(err)
		if !ok || out != "" || len(faults) != len(tt.want) {
			t.Fatalf("%q: %q, %v", tt.args, out, err)
		}
		for i, f := range faults {
			if !strings.HasPrefix(f.String(), tt.want[i]) || strings.Contains(f.String(), "c2Vj") {
				t.Errorf("have %s\nwant %s", f, tt.want[i])
			}
		}
	}
}
