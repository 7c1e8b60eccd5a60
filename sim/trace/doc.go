// Package trace reads and writes recorded traces: what arrived, when, for whom.
//
// A recorder in front of a service writes one with a [Writer], line by line as
// requests come. A simulation reads it with [Read] and plays it as the Records
// of a [sim.Source]; a load generator follows it with [Each], which holds one
// line at a time.
//
// # Format
//
// A trace is text in UTF-8, one request a line, as CSV (RFC 4180) with a header
// row, or as NDJSON, one object a line; what the first line begins with tells
// which. Its columns, or keys, come in any order, and all but time may be left
// out or empty:
//
//	time      when it arrived, since the trace began
//	class     CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE; empty: not said
//	level     within its class, 0 to 127
//	tenant    for whom; empty: nobody's
//	deadline  how long its caller waited for an answer; empty or 0: not known
//	cost      what it counts against its tenant; empty or 0: 1
//	kind      the name of its kind
//	service   how long serving it took; empty or 0: not known
//
// A time is a number of seconds (1.5) or has a unit (1500ms); a column of times
// may instead name the unit of its numbers: time_ms, deadline_us. The column
// arrival_s is another name of time. What the columns do not know is a fault,
// not ignored: a misspelt deadline would be a trace without one.
//
// A field does not span lines, has no control characters, and a line is no
// longer than [MaxLine].
package trace
