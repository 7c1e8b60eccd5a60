module github.com/plimsoll-go/plimsoll

go 1.26
