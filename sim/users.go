package sim

import "time"

// briefest is how long a user that does not think stays away, so that one who
// is refused at once does not ask for ever at one instant.
const briefest = time.Microsecond

// gather lets the users of a closed loop think for the first time.
func (e *engine) gather(src *source) {
	for range src.of.Users {
		e.think(src, scaled(src.drawThink(), src.thinking.Float64()))
	}
}

// think lets a user ask after some time, unless that is too late.
func (e *engine) think(src *source, after time.Duration) {
	if at := e.now + after; at < e.s.Length {
		e.flowing++
		e.at(at, event{what: arrival, n: src.index})
	}
}

// over is a request that has been answered or is lost.
func (e *engine) over(k *kind) {
	if k.source != nil && k.source.of.Users > 0 {
		e.think(k.source, max(k.source.drawThink(), briefest))
	}
}

func (src *source) drawThink() time.Duration {
	if src.of.Think == nil {
		return 0
	}
	return src.of.Think.Draw(src.thinking)
}
