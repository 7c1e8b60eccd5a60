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
// RFC 8941 with the member u, an integer from 0 to 7. The last u counts, as in
// any dictionary. One that is absent or out of range says nothing (RFC 9218
// 4: unknown or ill-typed members are ignored): Unset, not the urgency 3,
// which nobody asked for.
func urgencyCriticality(s string) class.Criticality {
	c := class.Unset
	for member := range splitList(s, ',') {
		if len(member) < 2 || member[:2] != "u=" {
			continue
		}
		value := member[2:]
		if len(value) > 1 && value[1] != ';' && value[1] != ' ' {
			continue
		}
		if len(value) > 0 && value[0]-'0' < 8 {
			c = urgencies[value[0]-'0']
		}
	}
	return c
}
