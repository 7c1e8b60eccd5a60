package load

import "testing"

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"load", "http://[::1]:80", "--rate", "500/s"}, "plimsoll load 'http://[::1]:80' --rate 500/s"},
		{[]string{"--rate=ramp 1/s..2/s", "", "it's"}, `plimsoll '--rate=ramp 1/s..2/s' '' 'it'\''s'`},
	} {
		if got := commandLine(tt.args); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.args, got, tt.want)
		}
	}
}
