package wire

// parseInt reads an optional minus sign and 1 to 19 digits, and nothing else:
// no plus sign, space, point, exponent or digit of another script. What does
// not fit an int64 is not ok. It answers how many digits there were as well.
func parseInt(s string) (n int64, digits int, ok bool) {
	negative := s != "" && s[0] == '-'
	if negative {
		s = s[1:]
	}
	if s == "" || len(s) > 19 { // 19 digits cannot wrap a uint64
		return 0, 0, false
	}
	var u uint64
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return 0, 0, false
		}
		u = u*10 + uint64(d)
	}
	if negative {
		if u > 1<<63 {
			return 0, 0, false
		}
		return int64(-u), len(s), true
	}
	if u > 1<<63-1 {
		return 0, 0, false
	}
	return int64(u), len(s), true
}
