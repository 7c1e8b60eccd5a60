package bounds

import (
	"os"
	"strconv"
	"strings"
)

// System reads what the system says of this process, or of one that would be
// started here. Only Linux tells.
func System() Reading {
	return Reading{Backlog: backlog(), Files: files(), FilesOpen: filesOpen()}
}

// backlog is the bound that net.Listen asks for, which is the system's own.
func backlog() int {
	data, err := os.ReadFile("/proc/sys/net/core/somaxconn")
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0
	}
	return n
}

func filesOpen() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries) - 1 // one was open for reading them
}
