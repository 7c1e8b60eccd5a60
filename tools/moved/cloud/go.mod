// Empty: all that is still used of it has moved to modules of its own.
module cloud.google.com/go

go 1.26.0
