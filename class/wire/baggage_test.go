package wire

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestReadBaggage(t *testing.T) {
	long := strings.Repeat("x", maxBaggageBytes)
	tests := []struct {
		name    string
		lines   []string
		want    class.Criticality
		invalid bool
	}{
		{"ours alone", []string{"criticality=sheddable"}, class.Sheddable, false},
		{"among others", []string{"a=1;p=2, criticality=CRITICAL_PLUS;p ,b=2"}, class.CriticalPlus, false},
		{"on another line", []string{"a=1", "criticality=critical"}, class.Critical, false},
		{"with spaces", []string{" criticality\t = sheddable_plus "}, class.SheddablePlus, false},
		{"encoded", []string{"criticality=%53heddable%5fplus"}, class.SheddablePlus, false},
		{"the lowest", []string{"criticality=critical,criticality=sheddable", "criticality=critical"}, class.Sheddable, false},
		{"one of two is unreadable", []string{"criticality=vip,criticality=sheddable"}, class.Sheddable, true},
		{"none", []string{"a=criticality,b=2"}, class.Unset, false},
		{"another key", []string{"criticality2=sheddable,xcriticality=critical,Criticality=critical"}, class.Unset, false},
		{"no value", []string{"criticality"}, class.Unset, false},
		{"an empty value", []string{"criticality="}, class.Unset, true},
		{"half an escape", []string{"criticality=critica%6"}, class.Unset, true},
		{"no escape", []string{"criticality=critica%6x"}, class.Unset, true},
		{"too long a value", []string{"criticality=" + strings.Repeat("%20", 100) + "critical"}, class.Unset, true},
		{"empty", []string{"", ",", " , ,"}, class.Unset, false},
		{"beyond the limit", []string{long, "criticality=sheddable"}, class.Unset, false},
	}
	for _, tt := range tests {
		invalid := false
		if got := baggageCriticality(tt.lines, &invalid); got != tt.want || invalid != tt.invalid {
			t.Errorf("%s: %v, invalid %v; want %v, %v", tt.name, got, invalid, tt.want, tt.invalid)
		}
	}
}

func TestMergeBaggage(t *testing.T) {
	members := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("k%d=v", i)
		}
		return strings.Join(list, ",")
	}
	ours := "criticality=sheddable"
	room := "k=" + strings.Repeat("x", maxBaggageBytes-len(ours)-len("k=,"))
	tests := []struct {
		name  string
		lines []string
		c     class.Criticality
		want  string
	}{
		{"none yet", nil, class.Sheddable, ours},
		{"nothing to say", nil, class.Unset, ""},
		{"after those of others", []string{"a=1;p=2,b=%20"}, class.Sheddable, "a=1;p=2,b=%20," + ours},
		{"in place of an earlier one", []string{"criticality=critical_plus;p,a=1", "criticality=x"}, class.Sheddable, "a=1," + ours},
		{"lines are joined", []string{"a=1", "b=2"}, class.CriticalPlus, "a=1,b=2,criticality=critical_plus"},
		{"the earlier one goes", []string{"a=1,criticality=critical"}, class.Unset, "a=1"},
		{"and nothing is left", []string{"criticality=critical"}, class.Unset, ""},
		{"63 members and ours", []string{members(63)}, class.Sheddable, members(63) + "," + ours},
		{"64 members", []string{members(64)}, class.Sheddable, members(64)},
		{"8192 bytes with ours", []string{room}, class.Sheddable, room + "," + ours},
		{"one more", []string{room + "x"}, class.Sheddable, room + "x"},
	}
	for _, tt := range tests {
		if got := mergeBaggage(tt.lines, tt.c); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzBaggage compares reading and merging with what is slow and obvious.
func FuzzBaggage(f *testing.F) {
	f.Add("a=1;p=2, criticality=%53heddable;q", "criticality = critical,b=2", uint8(1))
	f.Add(" ,,", "criticality", uint8(0))
	f.Fuzz(func(t *testing.T, one, two string, n uint8) {
		lines := []string{one, two}
		want, wantInvalid, others := obviousBaggage(lines)
		if len(one)+len(two) <= maxBaggageBytes {
			invalid := false
			if got := baggageCriticality(lines, &invalid); got != want || invalid != wantInvalid {
				t.Fatalf("%q is read as %v, invalid %v; want %v, %v", lines, got, invalid, want, wantInvalid)
			}
		}
		c := class.Criticality(n % (class.Count + 1))
		merged := []string{mergeBaggage(lines, c)}
		got, invalid, kept := obviousBaggage(merged)
		if !slices.Equal(kept, others) || invalid || got != c && got != class.Unset {
			t.Fatalf("%q and %v are merged to %q", lines, c, merged)
		}
		size := len(strings.Join(others, ",")) + 1 + len(baggageMembers[c])
		if got == class.Unset && c != class.Unset && len(others) < maxBaggageMembers && size <= maxBaggageBytes {
			t.Fatalf("%q and %v are merged to %q: there is room for ours", lines, c, merged)
		}
	})
}

func obviousBaggage(lines []string) (least class.Criticality, invalid bool, others []string) {
	for _, member := range strings.Split(strings.Join(lines, ","), ",") {
		member = strings.Trim(member, " \t")
		if member == "" {
			continue
		}
		key, value, hasValue := strings.Cut(member, "=")
		if strings.TrimRight(key, " \t") != baggageKey || !hasValue {
			others = append(others, member)
			continue
		}
		value, _, _ = strings.Cut(value, ";")
		decoded, err := url.PathUnescape(strings.Trim(value, " \t"))
		c, ok := class.Parse(decoded)
		if err != nil || !ok || len(decoded) > len("SHEDDABLE_PLUS") && decoded != value && strings.Contains(value, "%") {
			invalid = true
			continue
		}
		if least == class.Unset || c < least {
			least = c
		}
	}
	return least, invalid, others
}
