// Empty: all that is still used of it has moved to modules of its own.
module google.golang.org/genproto

go 1.26.0
