package target

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/internal/deaf"
)

// unary is a test service whose unary call is a function.
type unary struct {
	testgrpc.UnimplementedTestServiceServer
	call func(ctx context.Context, r *testgrpc.SimpleRequest) error
}

func (u unary) UnaryCall(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	if err := u.call(ctx, r); err != nil {
		return nil, err
	}
	return &testgrpc.SimpleResponse{Payload: &testgrpc.Payload{Body: make([]byte, r.GetResponseSize())}}, nil
}

// describes has a server describe itself.
type describes func(s *grpc.Server)

func both(s *grpc.Server) { reflection.Register(s) }
func v1(s *grpc.Server) {
	reflectionv1.RegisterServerReflectionServer(s, reflection.NewServerV1(reflection.ServerOptions{Services: s}))
}
func v1alpha(s *grpc.Server) {
	reflectionv1alpha.RegisterServerReflectionServer(s, reflection.NewServer(reflection.ServerOptions{Services: s}))
}
func neither(*grpc.Server) {}

// serveGRPC serves a call and returns the URL.
func serveGRPC(t *testing.T, describe describes, call func(context.Context, *testgrpc.SimpleRequest) error, options ...grpc.ServerOption) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(options...)
	testgrpc.RegisterTestServiceServer(s, unary{call: call})
	describe(s)
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(l) })
	t.Cleanup(func() { s.Stop(); serving.Wait() })
	return "grpc://" + l.Addr().String()
}

func unaryClass(body string) *mix.Class {
	c := &mix.Class{Name: "call", Protocol: mix.GRPC, Method: "grpc.testing.TestService/UnaryCall"}
	if body != "" {
		c.Body = &mix.Body{Bytes: []byte(body)}
	}
	return c
}

func request(c *mix.Class) *mix.Request {
	r := &mix.Request{Class: c}
	if c.Body != nil {
		r.Body = c.Body.Bytes
	}
	return r
}

func reach(t *testing.T, to Target) {
	t.Helper()
	if err := to.Reach(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestCallsByReflection(t *testing.T) {
	for name, describe := range map[string]describes{"v1 and v1alpha": both, "v1": v1, "v1alpha": v1alpha} {
		t.Run(name, func(t *testing.T) {
			rest(t)
			var got *testgrpc.SimpleRequest
			var said metadata.MD
			var left time.Duration
			base := serveGRPC(t, describe, func(ctx context.Context, r *testgrpc.SimpleRequest) error {
				got = proto.CloneOf(r)
				said, _ = metadata.FromIncomingContext(ctx)
				until, _ := ctx.Deadline()
				left = time.Until(until)
				return nil
			})
			c := unaryClass(`{"responseSize": 1000, "payload": {"body": "aGVsbG8="}, "fill_username": true}`)
			c.Header = http.Header{"X-Shop": {"a", "b"}, "Host": {"shop.example"}}
			to := dial(t, base, Options{}, c)
			if a := to.Try(t.Context(), request(c), 1, long); a != unsayable {
				t.Errorf("before it is known what the method is called with: %+v", a)
			}
			reach(t, to)
			r := request(c)
			r.Tenant, r.Criticality, r.Level = "acme", class.CriticalPlus, 9
			if a := to.Try(t.Context(), r, 3, long); a != good {
				t.Fatalf("%+v", a)
			}
			if got.GetResponseSize() != 1000 || string(got.GetPayload().GetBody()) != "hello" || !got.GetFillUsername() {
				t.Errorf("%v", got)
			}
			if left > long || left < long/2 {
				t.Errorf("%v are left", left)
			}
			for name, want := range map[string]string{
				"x-request-criticality": "CRITICAL_PLUS", "baggage": "criticality=critical_plus", "x-request-attempt": "3",
				"x-tenant": "acme", "x-request-level": "9", "x-shop": "a,b", ":authority": "shop.example",
			} {
				if got := strings.Join(said.Get(name), ","); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if agent := said.Get("user-agent"); len(agent) != 1 || !strings.HasPrefix(agent[0], userAgent) {
				t.Errorf("by %q", agent)
			}
		})
	}
}

func TestCallsByADescriptorSet(t *testing.T) {
	rest(t)
	base := serveGRPC(t, neither, func(context.Context, *testgrpc.SimpleRequest) error { return nil })
	set := new(descriptorpb.FileDescriptorSet)
	file := testgrpc.File_grpc_testing_test_proto
	set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	for i := range file.Imports().Len() {
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file.Imports().Get(i).FileDescriptor))
	}
	data, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "test.binpb")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	c := unaryClass("{}")
	to := dial(t, base, Options{Descriptors: path}, c)
	reach(t, to)
	if a := to.Try(t.Context(), request(c), 1, long); a != good {
		t.Errorf("%+v", a)
	}
	wrong := unaryClass("{}")
	wrong.Name, wrong.Method = "wrong", "grpc.testing.TestService/UnaryCal"
	misspelt := unaryClass(`{"responseSiz": 1}`)
	stream := unaryClass("{}")
	stream.Name, stream.Method = "stream", "grpc.testing.TestService/FullDuplexCall"
	_, err = Dial(parse(t, base), []*mix.Class{wrong, misspelt, stream}, Options{Descriptors: path, CA: "missing.pem"})
	wantFaults(t, err, "did you mean UnaryCall?", `unknown field "responseSiz"`, "FullDuplexCall is a stream", "--ca: want none without TLS")
	_, err = Dial(parse(t, base), []*mix.Class{c}, Options{Descriptors: filepath.Join(t.TempDir(), "missing.binpb")})
	wantFaults(t, err, "missing.binpb")
}

// wantFaults holds that an error names all that is wrong.
func wantFaults(t *testing.T, err error, wants ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

func TestWhatReflectionFinds(t *testing.T) {
	rest(t)
	served := func(context.Context, *testgrpc.SimpleRequest) error { return nil }
	described, silent := serveGRPC(t, both, served), serveGRPC(t, neither, served)
	c := unaryClass("")
	wantFaults(t, dial(t, silent, Options{}, c).Reach(t.Context()), "--descriptors")
	wrong := unaryClass(`{"responseSize": "many"}`)
	missing := unaryClass("")
	missing.Method = "grpc.testing.TestServic/UnaryCall"
	wantFaults(t, dial(t, described, Options{}, c, wrong).Reach(t.Context()), "class call", "responseSize")
	wantFaults(t, dial(t, described, Options{}, missing).Reach(t.Context()), "did you mean grpc.testing.TestService?")
	_, err := Dial(parse(t, described+"/api"), []*mix.Class{{Name: "h", Protocol: mix.HTTP2}, {Name: "g", Protocol: mix.GRPC, Method: "Get"}}, Options{})
	wantFaults(t, err, "want no path", "class h: protocol http2: want grpc", `class g: method "Get"`)
}

func TestAServiceThatSpeaksNoGRPC(t *testing.T) {
	rest(t)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	to := dial(t, strings.Replace(other.URL, "http://", "grpc://", 1), Options{}, unaryClass(""))
	wantFaults(t, to.Reach(t.Context()), "want a service of gRPC")
}

func TestWhatStatusesMean(t *testing.T) {
	refused := func(reason string, pushback time.Duration) Answer {
		return Answer{Outcome: openloop.Refused, Reason: reason, Pushback: pushback}
	}
	detailed := func(code codes.Code, details ...protoadapt.MessageV1) error {
		s, err := status.New(code, "no").WithDetails(details...)
		if err != nil {
			t.Fatal(err)
		}
		return s.Err()
	}
	info := func(domain, reason string) *errdetails.ErrorInfo {
		return &errdetails.ErrorInfo{Domain: domain, Reason: reason}
	}
	for _, tt := range []struct {
		name    string
		err     error
		trailer metadata.MD
		want    Answer
	}{
		{"OK", nil, nil, good},
		{"UNAVAILABLE", status.Error(codes.Unavailable, "no"), nil, refused("grpc_unavailable", 0)},
		{"with a pushback", status.Error(codes.Unavailable, "no"), metadata.Pairs("grpc-retry-pushback-ms", "250"), refused("grpc_unavailable", 250*time.Millisecond)},
		{"for good", status.Error(codes.ResourceExhausted, "no"), metadata.Pairs("grpc-retry-pushback-ms", "-1"), refused("grpc_resource_exhausted", -1)},
		{"given up", status.Error(codes.Unavailable, "no"), metadata.Pairs("grpc-retry-pushback-ms", "-1", "plimsoll-gave-up", "no_attempts"), refused("gave_up", -1)},
		{"given up, without more", status.Error(codes.Unavailable, "no"), metadata.Pairs("plimsoll-gave-up", "no_attempts"), refused("gave_up", -1)},
		{"by a gate", detailed(codes.Unavailable, info("plimsoll", "QUEUE_FULL"), &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}), nil, refused("queue_full", time.Second)},
		{"by a gate, hopeless", detailed(codes.DeadlineExceeded, info("plimsoll", "HOPELESS")), nil, refused("hopeless", 0)},
		{"by a proxy", status.Error(codes.Unavailable, "no"), metadata.Pairs("proxy-status", `plimsoll; error=connection_limit_reached; details="codel"`), refused("codel", 0)},
		{"by somebody else", detailed(codes.ResourceExhausted, info("example.com", "QUEUE_FULL")), nil, refused("grpc_resource_exhausted", 0)},
		{"with words of its own", detailed(codes.Unavailable, info("plimsoll", "WORDS_OF_ITS_OWN")), nil, refused("grpc_unavailable", 0)},
		{"DEADLINE_EXCEEDED", status.Error(codes.DeadlineExceeded, "no"), nil, refused("grpc_deadline_exceeded", 0)},
		{"NOT_FOUND", status.Error(codes.NotFound, "no"), nil, Answer{Outcome: openloop.Failed, Reason: "grpc_not_found"}},
		{"a code of its own", status.Error(77, "no"), nil, Answer{Outcome: openloop.Failed, Reason: "grpc_other"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rest(t)
			base := serveGRPC(t, both, func(ctx context.Context, _ *testgrpc.SimpleRequest) error {
				_ = grpc.SetTrailer(ctx, tt.trailer)
				return tt.err
			})
			c := unaryClass("")
			to := dial(t, base, Options{}, c)
			reach(t, to)
			if a := to.Try(t.Context(), request(c), 1, long); a != tt.want {
				t.Errorf("%+v, want %+v", a, tt.want)
			}
		})
	}
}

func TestACallEndsAtItsDeadline(t *testing.T) {
	rest(t)
	gone := make(chan struct{}, 1)
	base := serveGRPC(t, both, func(ctx context.Context, r *testgrpc.SimpleRequest) error {
		if r.GetResponseSize() > 0 {
			return nil
		}
		<-ctx.Done()
		gone <- struct{}{}
		<-t.Context().Done() // whatever is said about it comes too late
		return nil
	})
	c := unaryClass("")
	to := dial(t, base, Options{}, c)
	reach(t, to)
	if a, took := sent(t, to, request(c)); a != overdue || took < soon || took > 50*soon {
		t.Errorf("%+v after %v", a, took)
	}
	<-gone
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Answer)
	go func() { ended <- to.Try(ctx, request(c), 1, long) }()
	cancel()
	if a := <-ended; a.Outcome != openloop.Failed || a.Reason != "interrupted" {
		t.Errorf("%+v", a)
	}
}

// As many calls are on their way as the schedule wants, however few of them the
// service allows on one connection.
func TestCallsDoNotWaitForEachOther(t *testing.T) {
	rest(t)
	const calls = 1000
	var arrived atomic.Int64
	all := make(chan struct{})
	base := serveGRPC(t, both, func(context.Context, *testgrpc.SimpleRequest) error {
		if arrived.Add(1) == calls {
			close(all)
		}
		<-all
		return nil
	}, grpc.MaxConcurrentStreams(callsEach))
	c := unaryClass("")
	to := dial(t, base, Options{}, c)
	reach(t, to)
	var trying sync.WaitGroup
	for range calls {
		trying.Go(func() {
			if a := to.Try(t.Context(), request(c), 1, long); a != good {
				t.Errorf("%+v", a)
			}
		})
	}
	trying.Wait()
	if n := len(to.(*service).channels.open); n > calls/callsEach+1 {
		t.Errorf("%d connections", n)
	}
}

// What waits because the service allows less than it should is seen to be unsent.
func TestACallThatWaitsInItsConnectionIsUnsent(t *testing.T) {
	rest(t)
	held := make(chan struct{})
	release := make(chan struct{})
	base := serveGRPC(t, both, func(context.Context, *testgrpc.SimpleRequest) error {
		held <- struct{}{}
		<-release
		return nil
	}, grpc.MaxConcurrentStreams(1))
	c := unaryClass("")
	to := dial(t, base, Options{}, c)
	reach(t, to)
	first := make(chan Answer)
	go func() { first <- to.Try(t.Context(), request(c), 1, long) }()
	<-held
	if a := to.Try(t.Context(), request(c), 1, soon); a != (Answer{Outcome: openloop.Late, Unsent: true}) {
		t.Errorf("%+v", a)
	}
	close(release)
	if a := <-first; a != good {
		t.Errorf("%+v", a)
	}
}

func TestCallsOverTLS(t *testing.T) {
	rest(t)
	s := httptest.NewTLSServer(nil) // for its certificate
	s.Close()
	base := serveGRPC(t, both, func(context.Context, *testgrpc.SimpleRequest) error { return nil },
		grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: s.TLS.Certificates})))
	base = strings.Replace(base, "grpc://", "grpcs://", 1)
	c := unaryClass("")
	wantFaults(t, dial(t, base, Options{}, c).Reach(t.Context()), "--ca")
	to := dial(t, base, Options{Insecure: true}, c)
	reach(t, to)
	if a := to.Try(t.Context(), request(c), 1, long); a != good {
		t.Errorf("%+v", a)
	}
}

func TestBrokenCalls(t *testing.T) {
	rest(t)
	var kill func()
	base := serveGRPC(t, both, func(context.Context, *testgrpc.SimpleRequest) error { kill(); return nil })
	c := unaryClass("")
	to := dial(t, base, Options{}, c)
	reach(t, to)
	kill = func() { _ = to.Close() }
	if a := to.Try(t.Context(), request(c), 1, long); a != (Answer{Outcome: openloop.Failed, Reason: "closed"}) {
		t.Errorf("%+v", a)
	}
	if a := to.Try(t.Context(), request(c), 1, long); a != (Answer{Outcome: openloop.Failed, Reason: "interrupted", Unsent: true}) {
		t.Errorf("%+v", a)
	}
}

// Somebody who speaks HTTP/2 but no gRPC has answered what a status says.
func TestCallsAnsweredByWhoSpeaksNoGRPC(t *testing.T) {
	rest(t)
	var now atomic.Int64
	to, _ := over{protocol: mix.HTTP2}.start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(now.Load()))
		_, _ = io.WriteString(w, "no")
	})
	c := unaryClass("")
	called := dial(t, to.(*service).base.String(), Options{}, c)
	called.(*service).calls[0].form.Store(new(form))
	for n, want := range map[int]Answer{
		200: {Outcome: openloop.Failed, Reason: "protocol"},
		404: {Outcome: openloop.Failed, Reason: "status_404"},
		503: {Outcome: openloop.Refused, Reason: "status_503"},
	} {
		now.Store(int64(n))
		if a := called.Try(t.Context(), request(c), 1, long); a != want {
			t.Errorf("%d: %+v, want %+v", n, a, want)
		}
	}
}

// A service that was away is asked again as soon as it is back.
func TestCallsToNobody(t *testing.T) {
	rest(t)
	base := "grpc://" + deaf.Address(t)
	c := unaryClass("")
	to := dial(t, base, Options{}, c)
	wantFaults(t, to.Reach(t.Context()), "start the service first")
	to.(*service).calls[0].form.Store(new(form))
	if a := to.Try(t.Context(), request(c), 1, long); a != (Answer{Outcome: openloop.Failed, Reason: "dial", Unsent: true}) {
		t.Errorf("%+v", a)
	}
}
