package wire

import "github.com/plimsoll-go/plimsoll/class"

// urgencies maps the urgency of RFC 9218 4.1 to criticalities. 3 is its
// default; 7 is background work.
var urgencies = [8]class.Criticality{
	class.CriticalPlus, class.CriticalPlus,
	class.Critical, class.Critical, class.Critical,
	class.SheddablePlus, class.SheddablePlus,
	class.Sheddable,
}

// urgencyCriticality reads the urgency of a Priority header: a dictionary of
// RFC 8941 with the member u, an integer from 0 to 7. Of more than one u the
// least urgent counts, as of all that is repeated. One that is absent or out of
// range says nothing (RFC 9218 4: what cannot be understood is ignored): Unset,
// not the urgency 3, which nobody asked for.
func urgencyCriticality(lines []string) class.Criticality {
	least := class.Unset
	for _, line := range lines {
		for member := range splitList(line, ',') {
			u, ok := urgency(member)
			if c := urgencies[u]; ok && (least == class.Unset || c < least) {
				least = c
			}
		}
	}
	return least
}

// urgency reads a member such as "u=3", parameters aside.
func urgency(member string) (u uint8, ok bool) {
	if len(member) < 3 || member[:2] != "u=" {
		return 0, false
	}
	if len(member) > 3 && member[3] != ';' {
		return 0, false
	}
	u = member[2] - '0'
	return u & 7, u < 8
}
