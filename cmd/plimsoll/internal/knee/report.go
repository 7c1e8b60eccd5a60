package knee

// Version is that of the JSON form.
const Version = 1

// Kind is what a step was for.
type Kind string

// The kinds.
const (
	Search   Kind = "search"
	Rest     Kind = "rest"     // the service gets over a rate that it did not follow
	Overload Kind = "overload" // a multiple of the knee, and half of the knee after it
)

// End is why a search ended before all was found.
type End string

// The ends.
const (
	Found     End = ""          // all was
	Highest   End = "highest"   // goodput followed up to the highest rate, or a multiple of the knee is beyond that
	Generator End = "generator" // the generator was the bound, not the service
	Time      End = "time"      // there was none left
	Down      End = "down"      // the service did not get over a rate that it did not follow
	Nothing   End = "nothing"   // no rate was followed
)

// Step is one rate that was played.
type Step struct {
	Kind Kind `json:"kind"`
	Point
	Follows bool `json:"follows"` // goodput kept up with what was offered
}

// Over is what happens at a multiple of the knee.
type Over struct {
	Times float64 `json:"times"`
	Point
	OfCapacity float64 `json:"of_capacity"` // goodput, as a part of the capacity; 0 where the step is invalid
}

// Report is what a search came to. Rates are per second.
type Report struct {
	Version int    `json:"version"`
	Target  string `json:"target,omitempty"`
	// Knee is the highest rate that goodput followed; 0: none. What the service
	// can follow ends between it and Beyond, or anywhere above it where that is
	// nil.
	Knee float64 `json:"knee"`
	// Beyond is the lowest rate above it that was not followed; nil: none was.
	Beyond *float64 `json:"beyond"`
	// Capacity is the highest goodput of any step.
	Capacity float64 `json:"capacity"`
	// Turn is the rate that was followed with the most goodput for its median
	// latency: Kleinrock's power ("Power and deterministic rules of thumb for
	// probabilistic problems in computer communications", 1979). Above it latency
	// grows faster than goodput does. 0: nobody was answered.
	Turn  float64 `json:"turn"`
	Over  []Over  `json:"over"`
	Ended End     `json:"ended,omitempty"`
	Why   string  `json:"why,omitempty"` // the same for people
	Steps []Step  `json:"steps"`         // in the order in which they were played
}

// lowest is the lowest rate that was searched.
func (r *Report) lowest() float64 {
	least := 0.0
	for _, s := range r.Steps {
		if s.Kind == Search && (least == 0 || s.Rate < least) {
			least = s.Rate
		}
	}
	return least
}

// conclude takes the chief figures from the steps.
func (s *search) conclude() {
	r := &s.out
	r.Version, r.Knee = Version, s.low
	if s.high > 0 {
		high := s.high
		r.Beyond = &high
	}
	power := 0.0
	for i := range r.Steps {
		p := &r.Steps[i]
		if len(p.Invalid) > 0 {
			continue
		}
		r.Capacity = max(r.Capacity, p.Goodput)
		if p.Kind == Search && p.Follows && p.P50 > 0 && p.Goodput/p.P50 > power {
			power, r.Turn = p.Goodput/p.P50, p.Rate
		}
	}
	for i := range r.Over {
		if o := &r.Over[i]; r.Capacity > 0 && len(o.Invalid) == 0 {
			o.OfCapacity = o.Goodput / r.Capacity
		}
	}
}
