// Package plot draws axes, lines, areas and heat maps as the text of an SVG.
// What it draws has classes and no colours: those are its page's.
package plot
