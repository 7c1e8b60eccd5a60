package result

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Histogram decodes what HDR is, and what an entry of Parts is: nanoseconds. The
// empty text is an empty one. An error says what it has instead.
func Histogram(text string) (*hdr.PackedHistogram, error) {
	if text == "" {
		return hdr.NewPacked(1000, 1<<47, 3), nil
	}
	h, err := hdr.DecodePacked([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("an HdrHistogram, V2, compressed and in base64: %w", err)
	}
	return h, nil
}

// Quantile is the value in milliseconds that a share q, 0 to 1, does not exceed;
// to a thousandth. It is 0 where Count is, or where HDR is none.
func (t *Times) Quantile(q float64) float64 {
	h, err := Histogram(t.HDR)
	if err != nil || t.Count == 0 {
		return 0
	}
	return min(float64(h.ValueAtPercentile(100*q))/1e6, t.Max)
}
