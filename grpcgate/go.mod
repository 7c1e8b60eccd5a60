module github.com/plimsoll-go/plimsoll/grpcgate

go 1.26.0

require (
	github.com/plimsoll-go/plimsoll v0.0.0
	google.golang.org/grpc v1.85.0
)

require golang.org/x/sys v0.48.0 // indirect
