// Package knee finds how much a service takes, by asking for more until its
// goodput stops following.
//
// [Find] is a search over rates, each of which is played by a function that it
// is given: it knows no clock and no socket, so a model of a service will do.
// From a low rate on it doubles until goodput, what is answered while somebody
// still waits for it, is less than what was offered by more than a tolerance.
// Between the last rate that was followed and the first that was not it narrows
// down to the knee. Then it plays twice and three times the knee, and half of it
// after each, and says what was left of goodput, and how long it took to be back.
//
// A machine that is busy with something else makes a single step look worse than
// the service is, never better: a rate that was not followed is believed when it
// is not followed again. Where the generator was the bound and not the service,
// the report says so.
package knee
