package class

import "fmt"

// Parse reads a criticality by its name. Case is folded, ASCII only, and
// spaces and tabs around it are dropped. Anything else is not ok and comes back
// as [Unset]: an unknown word, an empty string, "UNSET", a list. Parse does not
// allocate and looks at no more of s than the longest name has, spaces aside.
func Parse(s string) (c Criticality, ok bool) {
	s = trim(s)
	switch len(s) { // no two names are of one length
	case len("CRITICAL"):
		c = Critical
	case len("SHEDDABLE"):
		c = Sheddable
	case len("CRITICAL_PLUS"):
		c = CriticalPlus
	case len("SHEDDABLE_PLUS"):
		c = SheddablePlus
	default:
		return Unset, false
	}
	if name := names[c]; s == name || foldsTo(s, name) {
		return c, true
	}
	return Unset, false
}

// trim drops optional white space as RFC 9110 5.6.3 has it: spaces and tabs.
func trim(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// foldsTo reports whether s, of the length of upper, is upper in any case.
// strings.EqualFold would not do: it takes U+017F for an S and U+212A for a K.
func foldsTo(s, upper string) bool {
	for i := range len(s) {
		b := s[i]
		if 'a' <= b && b <= 'z' {
			b -= 'a' - 'A'
		}
		if b != upper[i] {
			return false
		}
	}
	return true
}

// MarshalText returns the name of c, "UNSET" included. What is not valid is an
// error.
func (c Criticality) MarshalText() ([]byte, error) {
	if !c.Valid() {
		return nil, fmt.Errorf("class: criticality %d has no name: want %d at most", uint8(c), uint8(CriticalPlus))
	}
	return []byte(names[c]), nil
}

// UnmarshalText reads what [Parse] reads, and "UNSET". Anything else is an
// error and leaves c as it was.
func (c *Criticality) UnmarshalText(text []byte) error {
	if string(text) == names[Unset] {
		*c = Unset
		return nil
	}
	v, ok := Parse(string(text))
	if !ok {
		return fmt.Errorf("class: unknown criticality %.40q: want CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE", text)
	}
	*c = v
	return nil
}
