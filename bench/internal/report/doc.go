// Package report turns the samples of one run into a [Report]: medians, ratios
// to the peer and to the floor, and whether the targets are held. It is
// written as text, as Markdown, as JSON, or into a README between two marks.
//
// A ratio is the median of the ratios of the rounds, not a ratio of medians:
// the two samples of a round were taken close together.
package report
