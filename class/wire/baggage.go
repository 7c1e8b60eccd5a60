package wire

import (
	"iter"

	"github.com/plimsoll-go/plimsoll/class"
)

// The limits of W3C Baggage 3.3.2 up to which everybody propagates.
const (
	maxBaggageBytes   = 8192
	maxBaggageMembers = 64
)

// baggageKey is the member that has the criticality.
const baggageKey = "criticality"

// baggageMembers are the members to write, by criticality.
var baggageMembers = [class.Count + 1]string{
	class.Sheddable:     baggageKey + "=sheddable",
	class.SheddablePlus: baggageKey + "=sheddable_plus",
	class.Critical:      baggageKey + "=critical",
	class.CriticalPlus:  baggageKey + "=critical_plus",
}

// baggageCriticality returns the lowest criticality that a member of the
// baggage has, or Unset. It looks at no more than the limits allow.
func baggageCriticality(lines []string, invalid *bool) class.Criticality {
	least, budget := class.Unset, maxBaggageBytes
	for _, line := range lines {
		if budget -= len(line); budget < 0 {
			break
		}
		for member := range splitList(line, ',') {
			value, ours := ourMember(member)
			if !ours {
				continue
			}
			c, ok := decodeMember(value)
			switch {
			case !ok:
				*invalid = true
			case least == class.Unset || c < least:
				least = c
			}
		}
	}
	return least
}

// ourMember reports whether a member of a baggage, without white space around
// it, has our key, and returns its value without properties. Keys are compared
// by case (W3C Baggage 3.3.1: a token, as it is).
func ourMember(member string) (value string, ours bool) {
	if len(member) < len(baggageKey) || member[:len(baggageKey)] != baggageKey {
		return "", false
	}
	rest := trim(member[len(baggageKey):])
	if rest == "" || rest[0] != '=' {
		return "", false
	}
	value = rest[1:]
	for i := range len(value) {
		if value[i] == ';' {
			value = value[:i]
			break
		}
	}
	return trim(value), true
}

// decodeMember reads a value that may be percent-encoded.
func decodeMember(value string) (class.Criticality, bool) {
	if c, ok := class.Parse(value); ok {
		return c, true
	}
	var buf [len("SHEDDABLE_PLUS")]byte
	n := 0
	for i := 0; i < len(value); i++ {
		b := value[i]
		if b == '%' {
			if i+2 >= len(value) {
				return class.Unset, false
			}
			hi, lo := unhex(value[i+1]), unhex(value[i+2])
			if hi > 15 || lo > 15 {
				return class.Unset, false
			}
			b = hi<<4 | lo
			i += 2
		}
		if n == len(buf) {
			return class.Unset, false
		}
		buf[n] = b
		n++
	}
	return class.Parse(string(buf[:n]))
}

// unhex returns the value of a hexadecimal digit, or 255.
func unhex(b byte) byte {
	switch {
	case '0' <= b && b <= '9':
		return b - '0'
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10
	case 'A' <= b && b <= 'F':
		return b - 'A' + 10
	}
	return 255
}

// splitList yields the parts of s between separators, without the white space
// around them. Empty parts are skipped.
func splitList(s string, separator byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(s); i++ {
			if i < len(s) && s[i] != separator {
				continue
			}
			if part := trim(s[start:i]); part != "" && !yield(part) {
				return
			}
			start = i + 1
		}
	}
}

// mergeBaggage returns a baggage in one line, with our member and none of an
// earlier hop, or "" where nothing is left. Members of others keep their
// bytes and their order. Ours is left out rather than theirs where both do not
// fit the limits; c also has a header of its own.
func mergeBaggage(lines []string, c class.Criticality) string {
	if len(lines) == 0 {
		return baggageMembers[c]
	}
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	merged := make([]byte, 0, size+len(baggageMembers[c]))
	members := 0
	for _, line := range lines {
		for member := range splitList(line, ',') {
			if _, ours := ourMember(member); ours {
				continue
			}
			if members++; members > 1 {
				merged = append(merged, ',')
			}
			merged = append(merged, member...)
		}
	}
	if ours := baggageMembers[c]; ours != "" && members < maxBaggageMembers && len(merged)+1+len(ours) <= maxBaggageBytes {
		if members > 0 {
			merged = append(merged, ',')
		}
		merged = append(merged, ours...)
	}
	return string(merged)
}
