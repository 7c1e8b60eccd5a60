package strict

import (
	"strconv"
	"strings"
	"time"
)

// Duration reads a duration; zero says whether 0 is one.
func (r *Reader) Duration(v Value, zero bool, to *time.Duration) {
	if !v.Scalar("!!str", "!!int", "!!float") {
		r.WantNot(v, "%s", errUnit)
		return
	}
	d, err := ParseDuration(v.Text)
	switch {
	case err != nil:
		r.WantNot(v, "%s", err)
	case d == 0 && !zero:
		r.WantNot(v, "a duration above 0")
	default:
		*to = d
	}
}

// Number reads a whole number from least to most, in plain decimal digits. Or
// is what else may stand there, such as "auto or ", for the message.
func (r *Reader) Number(v Value, least, most int, or string, to *int) {
	n, err := strconv.Atoi(v.Text)
	digits := strings.Trim(v.Text, "0123456789") == ""
	if !v.Scalar("!!int") || err != nil || !digits || n < least || n > most {
		r.WantNot(v, "%sa whole number from %d to %d", or, least, most)
		return
	}
	*to = n
}

// NumberOr is Number, where a word stands for a number of its own.
func (r *Reader) NumberOr(v Value, word string, means, least, most int, to *int) {
	if v.Scalar("!!str") && v.Text == word {
		*to = means
		return
	}
	r.Number(v, least, most, word+" or ", to)
}

// Choice reads one of a few words, each of which stands for a value.
func Choice[T any](r *Reader, v Value, names []string, values []T, to *T) {
	for i, name := range names {
		if v.Scalar("!!str", "!!int") && v.Text == name {
			*to = values[i]
			return
		}
	}
	r.WantNot(v, "%s", oneOf(names))
}

func oneOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Truth reads true or false.
func (r *Reader) Truth(v Value, to *bool) {
	if !v.Scalar("!!bool") || v.Text != "true" && v.Text != "false" {
		r.WantNot(v, "true or false")
		return
	}
	*to = v.Text == "true"
}
