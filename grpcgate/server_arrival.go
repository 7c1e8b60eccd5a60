package grpcgate

import (
	"context"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// arrival is what is known of a call before it is admitted.
type arrival struct {
	work      plimsoll.Work
	attempt   int
	signed    bool      // a signature came with it and was verified
	known     wire.Tag  // what its context says already
	now       time.Time // when it came
	deadline  time.Time // the end of its time, if that is not its context's; zero: it is
	wantsLoad bool      // it asks for a load report, and is trusted
}

// arrive finds out what a call is. What the process itself has put into the
// context goes before what the caller claims, a claim before a rule, and a rule
// before a hint; Classify has the last word.
func (s *Server) arrive(ctx context.Context, r *route, method string, md metadata.MD) arrival {
	a := arrival{known: wire.From(ctx), now: time.Now()}
	left := class.Forever
	if d, ok := ctx.Deadline(); ok {
		left = d.Sub(a.now)
	}
	read := r.read
	trusted := read.config.Trusted
	if s.config.Trusted != nil && !trusted && s.config.Trusted(ctx) {
		read, trusted = r.readTrusted, true
	}
	in := read.read(md, left)
	if s.config.OnInvalid != nil && (in.InvalidTimeout || in.InvalidCriticality || in.Clamped || in.Signature > wire.Verified) {
		s.config.OnInvalid(ctx, method, in)
	}
	a.attempt, a.signed = a.known.Attempt, a.known.Signed || in.Signed
	if a.attempt == 0 {
		a.attempt = in.Attempt
	}
	if trusted || in.Signed {
		a.wantsLoad = wantsLoad(md)
	}
	a.work = plimsoll.Work{Criticality: a.known.Criticality, Level: a.known.Level, Tenant: a.known.Tenant}
	if a.work.Level == 0 {
		a.work.Level = in.Level
	}
	if in.HasTimeout && in.Timeout != left {
		a.deadline = a.now.Add(in.Timeout)
		a.work.Deadline = a.deadline
	}
	s.classify(ctx, r, method, in, &a)
	return a
}

// classify settles the criticality.
func (s *Server) classify(ctx context.Context, r *route, method string, in wire.Incoming, a *arrival) {
	if a.work.Criticality == class.Unset && !in.Hint {
		a.work.Criticality = in.Criticality
	}
	if a.work.Criticality == class.Unset {
		a.work.Criticality = r.criticality
	}
	if s.config.Classify != nil {
		// Lent, so that a refusal that the work is part of stays free.
		w := s.works.Get().(*plimsoll.Work)
		*w = a.work
		s.config.Classify(ctx, method, w)
		a.work = *w
		*w = plimsoll.Work{}
		s.works.Put(w)
		if !a.work.Deadline.Equal(a.deadline) {
			a.deadline = a.work.Deadline
		}
	}
	if a.work.Criticality == class.Unset {
		a.work.Criticality = in.Criticality
	}
}

// tag is what the handler's context is to say.
func (a *arrival) tag() wire.Tag {
	return wire.Tag{Criticality: a.work.Criticality, Level: a.work.Level, Tenant: a.work.Tenant, Attempt: a.attempt, Signed: a.signed}
}

// context is the handler's, and what ends it with its call.
func (a *arrival) context(ctx context.Context) (context.Context, context.CancelFunc) {
	end := func() {}
	if !a.deadline.IsZero() {
		ctx, end = context.WithDeadline(ctx, a.deadline)
	}
	if tag := a.tag(); tag != a.known {
		ctx = wire.With(ctx, tag)
	}
	return ctx, end
}

var wantKey = strings.ToLower(httpgate.WantHeader)

// wantsLoad reports whether a list of what is wanted has a load report.
func wantsLoad(md metadata.MD) bool {
	return slices.ContainsFunc(md[wantKey], func(list string) bool {
		for want := range strings.SplitSeq(list, ",") {
			if strings.EqualFold(strings.TrimSpace(want), "load-report") {
				return true
			}
		}
		return false
	})
}
