package class

import "strconv"

// Rank is a [Criticality] and a [Level] in one number, so that one comparison
// orders work: the lower rank is refused first. The zero value is below the
// rank of any work, which makes it the threshold that refuses nobody.
type Rank uint16

const levelBits = 7

// MaxRank is the highest rank that work has.
const MaxRank = Rank(CriticalPlus)<<levelBits | Rank(MaxLevel)

// RankOf returns the rank of work. An [Unset] criticality ranks as [Critical];
// a level above [MaxLevel] counts as MaxLevel.
func RankOf(c Criticality, l Level) Rank {
	return Rank(c.OrDefault())<<levelBits | Rank(min(l, MaxLevel))
}

// Criticality returns the criticality in r: [Unset] only for what is below
// every rank, such as zero.
func (r Rank) Criticality() Criticality { return Criticality(r >> levelBits) }

// Level returns the level in r.
func (r Rank) Level() Level { return Level(r) & MaxLevel }

// String returns criticality and level, such as "SHEDDABLE/12", or "NONE" for
// zero.
func (r Rank) String() string {
	if r == 0 {
		return "NONE"
	}
	return r.Criticality().String() + "/" + strconv.Itoa(int(r.Level()))
}
