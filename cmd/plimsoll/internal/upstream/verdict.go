package upstream

import "time"

// verdict is what one exchange says about the endpoint that it went to.
type verdict struct {
	kind  verdictKind
	after time.Duration // of a refusal: how long it asked to be spared; 0: it did not say
}

type verdictKind uint8

const (
	neutral verdictKind = iota // says nothing: the caller left, or its time was over
	good                       // the whole answer, and no complaint
	refused                    // an overload answer
	faulty                     // an error of a server that works
	dropped                    // no answer, by a server that goes on: it may be the request's fault
	failed                     // no answer, half of one, or that of a gateway without anybody behind
)

// member is what is known of one endpoint.
type member struct {
	inFlight int
	set      setback

	refusedInRow int
	restUntil    time.Duration // refuses everything: not chosen while another can be

	failedInRow int
	answered    time.Duration // when it last answered somebody
	out         bool          // ejected
	probing     bool          // out, and one request is under way that may end it
	until       time.Duration
	length      time.Duration // of the last ejection
	inRow       int           // ejections that followed each other

	back time.Duration // when it came back from being out or resting
	ramp time.Duration // and for how long it gets less than its share

	counts Counts
}

// Counts are totals since the service was made.
type Counts struct {
	Chosen    uint64 `json:"chosen"`    // requests that were sent here
	Answered  uint64 `json:"answered"`  // answers that came whole, errors of a working server included
	Refused   uint64 `json:"refused"`   // overload answers
	Faulty    uint64 `json:"faulty"`    // errors of a server that works
	Failed    uint64 `json:"failed"`    // no connection, broken answers, 502 and 504
	Ejections uint64 `json:"ejections"` // times that it was left out
	Resends   uint64 `json:"resends"`   // times that net/http sent a request again
	Dials     uint64 `json:"dials"`     // connections that were tried
}
