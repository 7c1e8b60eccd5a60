package stats

import (
	"math/bits"
	"time"
)

// Buckets is the number of buckets of a [Histogram]: one for each of the first
// 32 microseconds, then 16 per octave up to 2^32 µs, about 71 minutes.
const Buckets = perOctave * (octaves + 1)

const (
	// SubBits is the logarithm of how many buckets an octave has: the 1<<SubBits
	// buckets from one on cover the times from its own to twice its own.
	SubBits   = 4
	perOctave = 1 << SubBits
	octaves   = 28 // 2^4 µs up to 2^32 µs
	overflow  = uint64(1) << (SubBits + octaves)
)

// BucketOf returns the bucket that d falls into, 0 to [Buckets]-1. Durations
// below one microsecond, negative ones included, fall into bucket 0 and those
// past the range into the last.
func BucketOf(d time.Duration) int {
	us := min(uint64(max(d, 0))/1000, overflow-1)
	// Or-ing in the first two octaves' width, which is one microsecond a bucket
	// in both, makes shift 0 for them without a branch. From there on shift counts
	// octaves, and the 16 highest values of us>>shift are the 16 sub-buckets.
	shift := bits.Len64(us|(2*perOctave-1)) - SubBits - 1
	return shift<<SubBits + int(us>>shift)
}

// BucketBounds returns the durations that bucket i covers, lo included and hi
// not. The first bucket also holds what is below its lo, and the last what is
// at or above its hi. It panics when i is not a bucket.
func BucketBounds(i int) (lo, hi time.Duration) {
	if i < 0 || i >= Buckets {
		panic("stats: bucket out of range")
	}
	shift := max(i>>SubBits-1, 0)
	us := time.Duration(i - shift<<SubBits)
	return us << shift * time.Microsecond, (us + 1) << shift * time.Microsecond
}
