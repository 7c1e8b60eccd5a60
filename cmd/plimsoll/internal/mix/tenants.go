package mix

// Tenants are those for whom requests of a class are made. Names lists them, the
// first most often with a Skew above 0 (Zipf's law: the nth is asked for 1/n^Skew
// as often as the first).
type Tenants struct {
	Names []string
	Skew  float64
}
