package format

import (
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1234567), "1,234,567"},
		{Rate(0), "0"}, {Rate(1.234), "1.23"}, {Rate(99.6), "100"}, {Rate(12345), "12,345"},
		{Share(1, 0), "–"}, {Share(0, 5), "0 %"}, {Share(5, 5), "100 %"}, {Share(99999, 100000), "99.9 %"}, {Share(1, 100000), "<0.1 %"}, {Share(1, 3), "33.3 %"},
		{Wait(0), "0"}, {Wait(12345 * time.Microsecond), "12.3 ms"}, {Wait(5), "5 ns"}, {Wait(time.Minute), "60 s"}, {Wait(time.Hour), "3,600 s"},
		{Seconds(0), "0"}, {Seconds(0.0123456), "12.3 ms"}, {Seconds(0.29), "290 ms"}, {Seconds(3600), "3,600 s"},
		{Size(0), "0 B"}, {Size(1500), "1.50 kB"}, {Size(2e9), "2 GB"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
