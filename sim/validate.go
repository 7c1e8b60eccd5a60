package sim

import (
	"errors"
	"fmt"
	"strings"
)

// faults collects what is wrong, each with where.
type faults []error

func (f *faults) want(ok bool, where, what string, args ...any) {
	if !ok {
		f.add(where, fmt.Errorf(what, args...))
	}
}

func (f *faults) add(where string, err error) {
	if err != nil {
		*f = append(*f, fmt.Errorf("sim: %s: %w", where, err))
	}
}

// part adds what a part has to say of its fields, each with the name of its
// package before it.
func (f *faults) part(where string, err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		_, what, _ := strings.Cut(line, ": ")
		*f = append(*f, fmt.Errorf("sim: %s.%s", where, what))
	}
}

// Validate reports every fault at once and changes nothing.
func (s *Scenario) Validate() error {
	var f faults
	f.want(s.Length > 0 && s.Length <= longest, "Length", "want a time above 0, have %v", s.Length)
	f.want(s.Bucket >= 0, "Bucket", "want a time of 0 or more, have %v", s.Bucket)
	f.want(s.Grace <= longest, "Grace", "want at most ten years, have %v", s.Grace)
	f.want(len(s.Sources) > 0, "Sources", "want at least one")
	f.want(len(s.Stations) > 0, "Stations", "want at least one")
	seen := map[string]bool{}
	for i := range s.Sources {
		src := &s.Sources[i]
		where := fmt.Sprintf("Sources[%d] %q", i, src.Name)
		f.want(!seen[src.Name], where, "want names that differ")
		seen[src.Name] = true
		f.want(src.Station >= 0 && src.Station < len(s.Stations), where+".Station", "want the index of a station, have %d", src.Station)
		src.validStream(where, &f)
		s.validKinds(where, src, &f)
	}
	for i := range s.Stations {
		s.Stations[i].validate(fmt.Sprintf("Stations[%d] %q", i, s.Stations[i].Name), &f)
	}
	return errors.Join(f...)
}

// validStream reports the faults of when requests come.
func (s *Source) validStream(where string, f *faults) {
	ways := 0
	if s.Arrivals != nil {
		ways++
		f.add(where+".Arrivals", s.Arrivals.Validate())
	}
	if len(s.Records) > 0 {
		ways++
		s.validRecords(where, f)
	}
	if s.Users != 0 {
		ways++
		f.want(s.Users > 0 && s.Users <= maxUsers, where+".Users", "want 0 to %d, have %d", maxUsers, s.Users)
		if s.Think != nil {
			f.add(where+".Think", s.Think.Validate())
		}
	}
	f.want(s.Think == nil || s.Users != 0, where+".Think", "want Users, who think")
	f.want(ways == 1, where+".Arrivals", "want a stream, Records or Users, and one of them only")
}

// maxUsers is how many users a closed loop may have.
const maxUsers = 10_000_000

func (s *Scenario) validKinds(where string, src *Source, f *faults) {
	f.want(len(src.Kinds) > 0, where+".Kinds", "want at least one")
	seen := map[string]bool{}
	for i := range src.Kinds {
		k := &src.Kinds[i]
		at := fmt.Sprintf("%s.Kinds[%d] %q", where, i, k.Name)
		f.want(!seen[k.Name], at, "want names that differ")
		seen[k.Name] = true
		k.validStream(at, f)
		f.want(k.Weight >= 0, at+".Weight", "want 0 or more, have %d", k.Weight)
		f.want(k.Criticality.Valid(), at+".Criticality", "want a criticality, have %v", k.Criticality)
		f.want(k.Bytes >= 0, at+".Bytes", "want 0 or more, have %d", k.Bytes)
		if k.Service != nil || len(src.Records) == 0 { // records may say it
			validService(at, k.Service, f)
		}
		k.Client.validate(at, f)
		s.validCalls(at, k.Calls, 1, f)
	}
}

func validService(where string, s Service, f *faults) {
	f.want(s != nil, where+".Service", "want how long it takes")
	if s != nil {
		f.add(where+".Service", s.Validate())
	}
}

func (c *Client) validate(where string, f *faults) {
	where += ".Client"
	f.want(c.Patience >= 0 && c.Patience <= longest, where+".Patience", "want a time of 0 or more, have %v", c.Patience)
	f.want(c.Most == 0 || c.Most > 0 && c.Most >= c.Patience && c.Most <= longest, where+".Most", "want 0, or no less than Patience, have %v", c.Most)
	f.want(c.Deadline <= longest, where+".Deadline", "want at most ten years, have %v", c.Deadline)
	f.want(c.Attempts >= 0, where+".Attempts", "want 0 or more, have %d", c.Attempts)
	f.want(c.Backoff >= 0 && c.Backoff <= longest, where+".Backoff", "want a time of 0 or more, have %v", c.Backoff)
	f.want(c.MaxBackoff >= 0 && c.MaxBackoff <= longest, where+".MaxBackoff", "want a time of 0 or more, have %v", c.MaxBackoff)
	f.want(c.Jitter.Valid(), where+".Jitter", "want FullJitter or NoJitter, have %d", c.Jitter)
	if c.Budget != nil {
		f.part(where+".Budget", c.Budget.Validate())
	}
	if c.Throttle != nil {
		f.part(where+".Throttle", c.Throttle.Validate())
		f.want(c.Throttle.Window <= longest, where+".Throttle.Window", "want at most ten years, have %v", c.Throttle.Window)
	}
	f.want(!c.RefusalsFail || c.Breaker != nil, where+".RefusalsFail", "want a Breaker, which takes them so")
	if c.Breaker != nil {
		f.part(where+".Breaker", c.Breaker.Validate())
		b := c.Breaker
		f.want(max(b.Window, b.Slow, b.Open, b.Ramp) <= longest, where+".Breaker", "want times of at most ten years, have %+v", *b)
	}
}

func (s *Station) validate(where string, f *faults) {
	f.want(s.Workers >= 0, where+".Workers", "want 0 or more, have %d", s.Workers)
	f.want(s.RefusalCost >= 0 && s.RefusalCost <= 1, where+".RefusalCost", "want a share from 0 to 1, have %v", s.RefusalCost)
	if s.Gate != nil {
		f.add(where+".Gate", s.Gate.validate())
	}
	if s.Sharing != nil {
		s.Sharing.validate(where+".Sharing", f)
	}
	if s.Cache != nil {
		s.Cache.validate(where+".Cache", f)
	}
	f.want(s.Gate == nil || s.Admitter == nil, where+".Admitter", "want no Gate beside it")
	if s.Memory != nil {
		s.Memory.validate(where+".Memory", f)
	}
	for i, d := range s.Disturbances {
		at := fmt.Sprintf("%s.Disturbances[%d]", where, i)
		f.want(d.At >= 0, at+".At", "want a time of 0 or more, have %v", d.At)
		f.want(d.Effect != nil, at+".Effect", "want an effect")
		_, uses := d.Effect.(UseGate)
		f.want(!uses || s.Admitter == nil, at+".Effect", "want no UseGate where an Admitter rules")
		if d.Effect != nil {
			f.add(at+".Effect", d.Effect.validate())
		}
	}
}
