package class

// Level ranks work inside a [Criticality], from 0 to [MaxLevel]: of two pieces
// of one criticality the higher level is kept longer. The zero value is no
// level, and is shed first.
//
// Levels make shedding gradual, a 127th of a class at a time, and steady: the
// same callers lose while an overload lasts, instead of every caller losing a
// part of every task it makes many calls for. The idea is DAGOR's user priority
// ("Overload Control for Scaling WeChat Microservices", SoCC 2018, section
// 4.2.2) and Uber's cohort.
type Level uint8

// MaxLevel is the highest level.
const MaxLevel Level = 127

// LevelOf hashes key, such as a user or a tenant, to a level from 1 to
// [MaxLevel], evenly. One key and salt give one level in every process and
// every version, so that all hops of a call agree without asking each other.
// The empty key has no level: 0.
func LevelOf(key string, salt uint64) Level {
	if key == "" {
		return 0
	}
	// FNV-1a spreads the key, mix spreads its weak high bits; salting the
	// start, not the end, reorders all keys against each other.
	h := mix(salt) ^ 0xcbf29ce484222325
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 0x100000001b3
	}
	return 1 + Level((mix(h)>>32)*uint64(MaxLevel)>>32)
}

// Salt returns the salt of an hour, counted from any epoch that all hops share
// (Unix time / 3600), so that who loses in a long overload changes by the hour.
// Whoever can choose their own key can compute it too; where that matters, xor
// the result with a secret.
func Salt(hour int64) uint64 { return mix(uint64(hour) + 0x9e3779b97f4a7c15) }

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast Splittable
// Pseudorandom Number Generators", OOPSLA 2014): every input bit flips every
// output bit with probability one half.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
