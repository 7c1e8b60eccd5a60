package meter

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// OfTree is the processor time that a process and all below it have used; what
// those used that have ended is not in it. It is known on Linux only, to a
// hundredth of a second a process; of a single one, [OfProcess] knows it better.
func OfTree(root int) (time.Duration, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("no processor time of other processes here: there is no /proc")
	}
	all := map[int]stat{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended meanwhile
		}
		if s, ok := parseStat(string(text)); ok {
			all[s.pid] = s
		}
	}
	var sum time.Duration
	for _, s := range all {
		if below(all, s.pid, root) {
			sum += s.used
		}
	}
	return sum, nil
}

// stat is one line of /proc/PID/stat.
type stat struct {
	pid, parent int
	used        time.Duration
}

// parseStat reads a line of which the second field is a name in parentheses
// that may have spaces and parentheses itself.
func parseStat(line string) (s stat, ok bool) {
	pid, rest, ok1 := strings.Cut(line, " ")
	end := strings.LastIndex(rest, ")")
	if !ok1 || end < 0 {
		return s, false
	}
	f := strings.Fields(rest[end+1:]) // state parent ... the 14th and 15th field are user and system time
	if len(f) < 13 {
		return s, false
	}
	var n [4]int64
	for i, text := range []string{pid, f[1], f[11], f[12]} {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return s, false
		}
		n[i] = v
	}
	return stat{int(n[0]), int(n[1]), time.Duration(n[2]+n[3]) * tick}, true
}

// below says whether a process is another, or a descendant of it.
func below(all map[int]stat, pid, root int) bool {
	for range len(all) { // no longer than all of them: what was read is of several moments
		if pid == root {
			return true
		}
		s, ok := all[pid]
		if !ok {
			return false
		}
		pid = s.parent
	}
	return false
}
