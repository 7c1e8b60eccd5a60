package mix

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/retry"
)

var jitterNames = []string{"full", "none"}

const percentForm = `^[0-9]{1,4}(\.[0-9]{1,9})?%$`

var percents = regexp.MustCompile(percentForm)

func readRetries(r *reader, v strict.Value, d *draft) {
	retries := 0
	before := len(r.Faults)
	if r.NumberOr(v, "none", 0, 0, maxRetries, &retries); len(r.Faults) == before {
		d.Retry.Attempts = 1 + retries
	}
}

func readJitter(r *reader, v strict.Value, d *draft) {
	strict.Choice(&r.Reader, v, jitterNames, []retry.Jitter{retry.FullJitter, retry.NoJitter}, &d.Retry.Backoff.Jitter)
}

func readBudget(r *reader, v strict.Value, d *draft) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(v.Text, "%"), 64)
	if !v.Scalar("!!str") || !percents.MatchString(v.Text) || err != nil {
		r.WantNot(v, "a part with its sign, such as 10%%")
		return
	}
	d.Retry.Budget = n / 100
}

func readHeed(r *reader, v strict.Value, d *draft) {
	if v.Node == nil && v.Text == "" { // heed alone
		d.Retry.Heed = true
		return
	}
	r.Truth(v, &d.Retry.Heed)
}
