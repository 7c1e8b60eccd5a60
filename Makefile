# Everything needs Go and make only; the race detector in `make check` needs a
# C compiler as well. `go.work` joins the modules, so "work" below means all of
# their packages.

# Passed on to the programs: make demo DEMO_FLAGS='--fast --json'
DEMO_FLAGS     =
BENCH_FLAGS    =
OVERLOAD_FLAGS =
LIVE_FLAGS     =

# -again has a test that failed beside others run once more, alone, and says so:
# for machines that are shared. See tools/gotest.
GOTEST_FLAGS =

# How long `make fuzz` and `make check` fuzz one target, and all of them.
FUZZ_EACH  = 5s
FUZZ_TOTAL = 2m

# How long `make soak` keeps the proxy under too much load.
SOAK_FOR   = 10m
SOAK_FLAGS =

# What has goroutines to race: all but the pure packages, the tools, the
# reference cases, whose goroutines are those of measure, and the suite against
# real peers, which builds the program without the detector.
PURE = /(breaker|class|limit|queue|retry|sim|sim/[a-z]+|stats|scenarios|throttle|internal/(arch|platforms|reference))$$|/(bench|e2e|tools)(/|$$)

.NOTPARALLEL:
.PHONY: help demo build test check check-rest fmt vet lint alone tidy-check race fuzz e2e-long soak soak-minute bench overload live tidy

help:
	@echo 'make demo   an overload, without and with Plimsoll, in a minute (DEMO_FLAGS=--fast)'
	@echo 'make test   the tests of every module'
	@echo 'make check  test, and formatting, vet, staticcheck, tidiness, races, fuzzing and a minute of soak'
	@echo 'make soak   the proxy at three times its capacity, with restarts and reloads, for SOAK_FOR=$(SOAK_FOR) (SOAK_FLAGS=--json)'
	@echo 'make fuzz   every fuzz target for FUZZ_EACH=$(FUZZ_EACH)'
	@echo 'make bench  side by side with other limiters, and the proxy with a bare one (BENCH_FLAGS)'
	@echo 'make overload  limiters before real goroutines at twice their capacity (OVERLOAD_FLAGS=--short)'
	@echo 'make live   the same service behind nothing, nginx, HAProxy, two Go limiters and the proxy, under overload (LIVE_FLAGS=--short)'
	@echo 'make build  the program, to bin/plimsoll'
	@echo 'make tidy   go.mod and go.sum of every module'

demo: build
	@bin/plimsoll demo $(DEMO_FLAGS)

build:
	@go build -trimpath -o bin/plimsoll ./cmd/plimsoll

test:
	@go run ./tools/gotest $(GOTEST_FLAGS) -timeout=10m work

check: test check-rest

# What check has beyond test.
check-rest: fmt vet lint alone tidy-check race fuzz e2e-long soak-minute

fmt:
	@echo 'gofmt'; out=$$(gofmt -l .) || exit; [ -z "$$out" ] || { echo "not formatted, run gofmt -w:"; echo "$$out"; exit 1; } >&2

vet:
	@echo 'go vet'; go vet work

lint:
	@echo 'staticcheck'; go tool staticcheck work

# The library as its users get it: without the workspace, on 32 bits as well.
alone:
	@echo 'the library alone'; GOWORK=off go build ./... && GOWORK=off GOARCH=386 go vet ./...

tidy-check:
	@echo 'go mod tidy'; tools/tidy.sh -check

race:
	@echo 'go test -race'; all=$$(go list work) && go run ./tools/gotest $(GOTEST_FLAGS) -race -short -skip='^TestArchitecture$$' -timeout=10m $$(echo "$$all" | grep -vE '$(PURE)')

fuzz:
	@echo 'go test -fuzz'; go run ./tools/fuzz -each $(FUZZ_EACH) -total $(FUZZ_TOTAL) work

# The sizes and counts that the cases name, where `make test` has smaller ones.
e2e-long:
	@echo 'large bodies, slow peers, floods'; go run ./tools/gotest $(GOTEST_FLAGS) -timeout=10m -run='B28|B73|H10|H11' ./e2e -long

soak:
	@go run ./e2e/soak --for $(SOAK_FOR) $(SOAK_FLAGS)

soak-minute:
	@echo 'soak'; go run ./e2e/soak --for 60s

bench:
	@go run ./bench $(BENCH_FLAGS)

overload:
	@go run ./bench/overload $(OVERLOAD_FLAGS)

live:
	@go run ./bench/live $(LIVE_FLAGS)

tidy:
	@tools/tidy.sh
