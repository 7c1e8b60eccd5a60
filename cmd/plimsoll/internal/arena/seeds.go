package arena

// Seeds are kept apart. The record is made of those from Kept up to Tuning,
// which nothing is improved on; whatever is tried out, and every test, has those
// from Tuning on. A figure of the record is then one of arrivals and needs that
// no choice was made by.
const (
	Kept   uint64 = 1
	Tuning uint64 = 1000
)

// mostSeeds is how many seeds of a scenario the record may have; it is less than
// there are of the kept.
const mostSeeds = 12
