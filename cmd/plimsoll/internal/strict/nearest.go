package strict

import (
	"strings"
)

// Nearest returns the known name that somebody most likely meant, or "".
func Nearest(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(fold(name), fold(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// fold removes what spellings of one name differ in.
func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s))
}

// distance is the least number of bytes to insert, delete or replace to make
// one name of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
