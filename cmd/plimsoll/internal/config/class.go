package config

import "github.com/plimsoll-go/plimsoll/class"

// DefaultClass is the class of routes that name none.
const DefaultClass = "default"

// Class is what requests are when they say nothing, and who may say what.
// Classes compare with ==.
type Class struct {
	Name string
	// Criticality is that of requests that claim none. Unset: nobody has said
	// anything, which counts as CRITICAL and is told to nobody.
	Criticality class.Criticality
	// Internal says that the producer can be slowed: under [queue.Block] it
	// waits for a place where others are refused.
	Internal bool
	Claims   Claims
	// LevelHeader names the request header whose value picks the level inside
	// a class: the same value is shed, or kept, together. Empty: none does. It
	// and TenantHeader are read whoever they come from: they are for headers that
	// the edge sets, which need not be trusted in anything else.
	LevelHeader string
	// TenantHeader names the request header that says whose request it is;
	// waiting tenants share evenly. Empty: there are no tenants.
	TenantHeader string
}

// Claims is how far a claim of criticality is believed. A lower one always is.
type Claims struct {
	// Public is the most that callers who are not trusted can claim. Unset:
	// the criticality that their requests have without a claim.
	Public class.Criticality
	// Trusted is the most that trusted callers can claim, never Unset.
	Trusted class.Criticality
	// Header, Baggage, SecPurpose and Priority are where claims are read:
	// X-Request-Criticality, the W3C baggage, "Sec-Purpose: prefetch", which
	// is SHEDDABLE, and the urgency of RFC 9218.
	Header, Baggage, SecPurpose, Priority bool
}

// Ceiling is the most that a caller can claim for a request whose criticality
// is c without a claim.
func (c Claims) Ceiling(trusted bool, of class.Criticality) class.Criticality {
	switch {
	case trusted:
		return c.Trusted
	case c.Public != class.Unset:
		return c.Public
	}
	return of.OrDefault()
}

func newClass(name string) Class {
	return Class{Name: name, Claims: newClaims()}
}

func newClaims() Claims {
	return Claims{Trusted: class.CriticalPlus, Header: true, Baggage: true, SecPurpose: true}
}

var classKind = object(func() Class { return newClass("") },
	member("criticality", criticality, func(c *Class) *class.Criticality { return &c.Criticality },
		"What requests are that claim nothing: CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE. Absent: they count as CRITICAL, and the service is not told so."),
	member("producer", choice([]bool{false, true}, producer), func(c *Class) *bool { return &c.Internal },
		"public: nobody can slow whoever sends these. internal: its producer can be slowed, so under full: block it waits for a place where others are refused."),
	member("claims", claims, func(c *Class) *Claims { return &c.Claims },
		"Who may claim which criticality. To less than it would have, everybody may lower a request."),
	member("levelHeader", headerName, func(c *Class) *string { return &c.LevelHeader },
		"Requests with the same value of this header, such as those of one user, are shed or kept together, by a hash that changes hourly. Those without it are shed first of their class. Of whom it comes is not asked, and who can choose it can choose what is kept: have the edge set it, and remove what came from outside."),
	member("tenantHeader", headerName, func(c *Class) *string { return &c.TenantHeader },
		"The header that says whose request it is; waiting tenants share evenly. Who can choose it has a share for every name that they invent: have the edge set it, as levelHeader."),
)

func producer(internal bool) string {
	if internal {
		return "internal"
	}
	return "public"
}

var claims = object(newClaims,
	member("public", criticality, func(c *Claims) *class.Criticality { return &c.Public },
		"The most that callers who are not trusted can claim. Absent: what the request is without a claim, so that they can only lower it."),
	member("trusted", criticality, func(c *Claims) *class.Criticality { return &c.Trusted },
		"The most that trusted callers can claim."),
	member("from", claimSources, func(c *Claims) *Claims { return c },
		"Where claims are read: header (X-Request-Criticality), baggage (its member criticality), sec-purpose (a prefetch is SHEDDABLE), priority (the urgency of RFC 9218; browsers send it and mean the order of transmission)."),
)
