package watch

import (
	"os"
	"path/filepath"
	"strings"
)

// mostLinks bounds the links on the way to one file, as systems do.
const mostLinks = 40

// place is a directory in which something may happen that changes what a name
// stands for.
type place struct {
	dir string // without a link on the way to it
	own bool   // the name itself is in it, be it of a file or of a link
}

// places are the directories that decide what a name stands for: where it is,
// wherever there is a link on the way, and where that leads. Where the way
// breaks off, the directory that is there is the last.
func places(name string) (out []place) {
	if !filepath.IsAbs(name) {
		if here, err := os.Getwd(); err == nil { // else where we are has been removed
			name = here + string(filepath.Separator) + name
		}
	}
	root := filepath.VolumeName(name) + string(filepath.Separator)
	at, rest, own := root, steps(name[len(root)-1:]), false
	for links := 0; len(rest) > 0; {
		here := place{dir: at, own: !own && len(rest) == 1}
		own = own || here.own
		next := filepath.Join(at, rest[0])
		about, err := os.Lstat(next)
		switch {
		case err == nil && about.Mode()&os.ModeSymlink != 0 && links < mostLinks:
			links++
			out = append(out, here)
			to, err := os.Readlink(next)
			if err != nil { // it went this moment
				return out
			}
			if filepath.IsAbs(to) {
				at = root
			}
			rest = append(steps(to), rest[1:]...)
		case err != nil, len(rest) == 1, !about.IsDir():
			return append(out, here)
		default:
			at, rest = next, rest[1:]
		}
	}
	return append(out, place{dir: at})
}

// steps are the names in a path. They are not cleaned: what is .. of a link is
// not where the link is.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == os.PathSeparator })
}
