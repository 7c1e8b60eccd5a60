// Package threshold is what a release has to hold under load, and the verdict
// on it.
//
// A [Threshold] is one line of text, such as
//
//	goodput{class=CRITICAL} >= 0.99
//	p(99) < 250ms
//	refused{criticality=CRITICAL_PLUS} == 0
//	recovery < 2s
//
// that is a metric, for which requests it is taken, how it is compared and with
// what:
//
//	threshold = metric [ "{" ("class" | "criticality") "=" name "}" ] compare value
//	metric    = name [ "(" argument ")" ]
//	compare   = ">=" | ">" | "<=" | "<" | "=="
//	value     = number | number "%" | duration with its unit
//
// Blanks may stand between them; a name with blanks or braces in it stands in
// double quotes. A class is that of this name, or, where none has the name, all
// of this criticality. [Metrics] lists the metrics.
//
// [Parse] holds every name against the load that is about to run, and faults
// whatever a run could not miss, or could not meet: a misspelt name that nothing
// is counted for would pass for good. So would a class that was never asked for,
// which is why [Set.Judge] counts a metric without requests as missed.
package threshold
