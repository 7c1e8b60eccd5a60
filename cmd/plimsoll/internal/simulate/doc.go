// Package simulate is "plimsoll sim run", "compare", "sweep" and "list":
// scenario files played in virtual time, shown as text, JSON, CSV or a page.
//
// What is compared meets the same requests: every policy is played with the
// same seeds, and a difference is that of the same seed under two policies.
package simulate
