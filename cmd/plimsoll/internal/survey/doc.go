// Package survey says what is in a recorded trace, and makes of it the scenario
// that plays it again in the simulator.
package survey
